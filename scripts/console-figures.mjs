// How fast the console is with 100,000 people, 10,000 app instances and a journey of 300 tasks:
//   node scripts/console-figures.mjs records > figures.ndjson && npx svc import figures.ndjson
//   node scripts/console-figures.mjs http://127.0.0.1:8080 "$(npx svc tokens create --org org_figures --user user_0)"
// Every page is opened with a cold cache, in a Chromium of its own; of five runs, the middle one counts.
import { chromium } from 'playwright-core'

const PEOPLE = 100_000
const APPS = 10_000
const TASKS = 300
const RUNS = 5
const journeyId = '0198a1c0-7d00-7000-8000-000000000300'
const [first = '', token = ''] = process.argv.slice(2)

if (first === 'records') for (const record of records()) process.stdout.write(`${JSON.stringify(record)}\n`)
else if (token === '') throw new Error('usage: node scripts/console-figures.mjs records | ORIGIN TOKEN')
else await measure(first, token.match(/svc_user_[\w-]+/)[0])

function* records() {
  const organizationId = 'org_figures'
  yield { organization: { id: organizationId, name: 'Figures' } }
  yield { team: { id: 'team_0', organizationId, name: 'Team' } }
  const firstNames = [
    'Ada',
    'Béla',
    'Chidi',
    'Dana',
    'Emre',
    'Fatima',
    'Goro',
    'Hanna',
    'Inês',
    'Jonas',
    'Kamala',
    'Luca',
  ]
  const lastNames = ['Okafor', 'Lindqvist', 'Kovács', 'Tanaka', 'Schulz', 'Duarte', 'Iyer', 'Ferri', 'Yıldız', 'Novak']
  for (let index = 0; index < PEOPLE; index++) {
    const [firstName, lastName] = [firstNames[index % 12], `${lastNames[index % 10]} ${index}`]
    yield {
      user: {
        organizationId,
        id: `user_${index}`,
        email: `person${index}@figures.example`,
        firstName,
        lastName,
        department: `Department ${index % 40}`,
        jobTitle: `Job ${index % 90}`,
        role: index === 0 ? 'USER_ROLE_ORG_ADMIN' : 'USER_ROLE_ORG_MEMBER',
        timezone: 'Europe/Berlin',
        locale: 'en-GB',
      },
    }
  }
  for (let index = 0; index < APPS; index++) {
    yield {
      appInstance: { id: `app_${index}`, teamId: 'team_0', customServiceId: 'service', name: `Service ${index}` },
    }
  }
  const idOf = (index) => `0198a1c0-7d01-7000-8000-${String(index).padStart(12, '0')}`
  const tasks = Array.from({ length: TASKS }, (_, index) => ({
    id: idOf(index),
    name: `Task ${index} of the journey`,
    assignedToUserId: `user_${index}`,
    status: index < 100 ? 'JOURNEY_TASK_STATUS_DONE' : 'JOURNEY_TASK_STATUS_TODO',
    dependsOnIds: index < 10 ? [] : [idOf(index - 10), ...(index % 3 === 0 ? [idOf(index - 7)] : [])],
    dueDate: { year: 2026, month: 1 + (index % 12), day: 1 },
  }))
  const common = { teamId: 'team_0', friendlyIdentifier: 'BIG-1', createdAt: '2026-01-05T09:00:00.000Z' }
  yield { journey: { id: journeyId, name: 'A large journey', ...common, tasks } }
}

async function measure(origin, userToken) {
  const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
  const figures = {}
  const add = (name, value) => {
    figures[name] = [...(figures[name] ?? []), value]
  }
  for (let run = 0; run < RUNS; run++) {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    // What a browser does of its own when it starts is over by then.
    await new Promise((go) => setTimeout(go, 2_000))
    const open = async (path, ready) => {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      await page.addInitScript(watch, ready)
      await page.goto(`${origin}/console${path}#token=${userToken}`)
      await page.evaluate('figures.isReady')
      return page
    }
    const people = await open('/people', 'main tbody a')
    await people.waitForTimeout(500)
    add('people: first contentful paint (ms)', await people.evaluate('figures.paint'))
    add('people: first rows (ms)', await people.evaluate('figures.ready'))
    add('people: blocking time (ms)', await people.evaluate('figures.blocked'))
    for (const time of await keystrokes(people)) add('people: a keystroke in search (ms)', time)
    const scroll = await scrolled(people)
    add('people: longest frame while 10,000 rows are scrolled (ms)', scroll.longest)
    add('people: frames above 50 ms', scroll.above)
    const apps = await open('/apps?teamId=team_0', 'main tbody a')
    add('app instances: first rows (ms)', await apps.evaluate('figures.ready'))
    const journey = await open(`/journeys/${journeyId}`, 'main svg g g, main svg g')
    add('journey of 300 tasks: drawn, cold cache (ms)', await journey.evaluate('figures.ready'))
    await journey.getByRole('button', { name: 'Table' }).click()
    await journey.getByRole('row').nth(TASKS).waitFor()
    add('journey of 300 tasks: the graph (ms)', await redrawn(journey))
    await browser.close()
  }
  const sorted = (values) => [...values].sort((a, b) => a - b)
  for (const [name, values] of Object.entries(figures)) {
    const all = sorted(values).map(Math.round)
    console.log(`${name}: ${all[Math.floor(all.length / 2)]} (${all[0]} to ${all.at(-1)})`)
  }
}

/** Runs in the page, before its scripts: notes when what is waited for has been painted, and how long the page was blocked. */
function watch(ready) {
  const figures = { ready: 0, paint: 0, blocked: 0 }
  figures.isReady = new Promise((resolve) => {
    figures.tell = resolve
  })
  window.figures = figures
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === 'first-contentful-paint') figures.paint = startTime
  }).observe({ type: 'paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) figures.blocked += Math.max(0, duration - 50)
  }).observe({ type: 'longtask', buffered: true })
  const observer = new MutationObserver(() => {
    if (document.querySelector(ready) === null) return
    observer.disconnect()
    requestAnimationFrame(() =>
      setTimeout(() => {
        figures.ready = performance.now()
        figures.tell()
      }),
    )
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** The times from each key of an address to the paint of other rows. */
async function keystrokes(page) {
  await page.getByLabel('Name or email').fill('person')
  await page.waitForTimeout(1_000)
  await page.evaluate(() => {
    window.times = []
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        const observer = new MutationObserver(() => {
          observer.disconnect()
          requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - timeStamp)))
        })
        const table = document.querySelector('main table')
        observer.observe(table.closest('section').parentElement, {
          childList: true,
          subtree: true,
          characterData: true,
        })
      },
      true,
    )
  })
  await page.getByLabel('Name or email').focus()
  for (const [index, letter] of ['1', '2', '3', '4'].entries()) {
    await page.keyboard.press(letter)
    await page.evaluate(
      `(async () => { while (times.length <= ${index}) await new Promise((go) => setTimeout(go, 20)) })()`,
    )
    await page.waitForTimeout(300)
  }
  const times = await page.evaluate('window.times')
  await page.getByLabel('Name or email').fill('')
  await page.waitForTimeout(1_000)
  return times
}

/** The frames while 10,000 rows go by. */
function scrolled(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const list = document.querySelector('main section[aria-label=People]')
        const frames = []
        let before = performance.now()
        const step = (now) => {
          frames.push(now - before)
          before = now
          list.scrollTop += 600
          if (list.scrollTop < 10_000 * 40) return requestAnimationFrame(step)
          frames.sort((a, b) => b - a)
          resolve({ longest: frames[0], above: frames.filter((frame) => frame > 50).length })
        }
        requestAnimationFrame(step)
      }),
  )
}

/** The time from the choice of the graph to its paint. */
function redrawn(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const start = performance.now()
        const observer = new MutationObserver(() => {
          if (document.querySelectorAll('main svg g').length < 300) return
          observer.disconnect()
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
        })
        observer.observe(document, { childList: true, subtree: true })
        document.querySelector('main fieldset button').click()
      }),
  )
}
