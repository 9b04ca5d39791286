// Measures how fast the console is with 100,000 people, 10,000 app instances, 20,000 resources, a group of 3,000 and a
// journey of 300 tasks:
//   node scripts/console-figures.mjs records > figures.ndjson && npx svc import figures.ndjson
//   node scripts/console-figures.mjs http://127.0.0.1:8080 "$(npx svc tokens create --org org_figures --user user_0)"
// Every page is opened with a cold cache. Of five runs, each in a new Chromium, it prints the median and the extremes;
// besides times, which other programs on the machine lengthen, the processor time of the page.
import { chromium } from 'playwright-core'

const PEOPLE = 100_000
const APPS = 10_000
const TASKS = 300
const RESOURCES = 20_000
const MEMBERS = 3_000
const RUNS = 5
/** The DevTools sessions of pages, which report their processor time. */
const sessions = new WeakMap()
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
  for (let index = 0; index < RESOURCES; index++) {
    const place = { appInstanceId: `app_${index % 40}`, resourceType: 'role', scopedId: `ares_${index}` }
    yield {
      appResource: { id: `resource_${index}`, ...place, name: `Resource ${index}`, externalId: `external-${index}` },
    }
  }
  const userIds = Array.from({ length: MEMBERS }, (_, index) => `user_${index}`)
  yield { group: { id: 'group_0', organizationId, name: 'Everybody', userIds } }
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
  // An import leaves nothing in the audit log.
  for (let index = 1; index <= 100; index++) {
    const headers = { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ jobTitle: `Job ${Date.now()}` })
    const { ok, status } = await fetch(`${origin}/v2/users/user_${index}`, { method: 'PUT', headers, body })
    if (!ok) throw new Error(`changing a person answers ${status}`)
  }
  for (let run = 0; run < RUNS; run++) {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
    // What a browser does of its own when it starts is over by then.
    await new Promise((go) => setTimeout(go, 2_000))
    const open = async (path, ready) => {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      await page.addInitScript(watch, ready)
      // Nor does the window itself, which is drawn by a page of the browser's own.
      await page.waitForTimeout(1_500)
      await page.goto(`${origin}/console${path}#token=${userToken}`)
      await page.evaluate('figures.isReady')
      return page
    }
    const people = await open('/people', 'main tbody a')
    await people.waitForTimeout(500)
    add('people: first contentful paint (ms)', await people.evaluate('figures.paint'))
    add('people: first rows (ms)', await people.evaluate('figures.ready'))
    add('people: blocking time (ms)', await people.evaluate('figures.blocked'))
    const search = people.getByLabel('Name or email')
    await search.fill('person')
    await people.waitForTimeout(1_000)
    await typed(people, search, 'main section[aria-label=People]', (name, value) =>
      add(`people: a key in search ${name}`, value),
    )
    await search.fill('')
    await people.waitForTimeout(1_000)
    await scrolled(people, 'People', 400_000, (name, value) => add(`people: 10,000 rows scrolled, ${name}`, value))
    await people.keyboard.press('Control+k')
    const anything = people.getByRole('combobox', { name: 'Find anything' })
    await anything.fill('person')
    await people.waitForTimeout(1_000)
    await typed(people, anything, '[role=dialog]', (name, value) => add(`find anything: a key ${name}`, value))
    const group = await open('/groups/group_0', 'main tbody a')
    await scrolled(group, 'Members', 130_000, (name, value) => add(`group of 3,000: scrolled, ${name}`, value))
    const member = group.getByRole('searchbox', { name: 'Name or email' })
    await typed(group, member, 'main section[aria-label=Members]', (name, value) =>
      add(`group of 3,000: a key in search ${name}`, value),
    )
    const audit = await open('/audit', 'main ol li')
    await scrolled(audit, undefined, 12_000, (name, value) => add(`audit log: 100 events scrolled, ${name}`, value))
    const resources = await open('/resources', 'main tbody a')
    add('resources: first rows (ms)', await resources.evaluate('figures.ready'))
    const app = resources.locator('main').getByLabel('App', { exact: true })
    await app.fill('serv')
    await resources.waitForTimeout(1_000)
    await typed(resources, app, '[role=listbox]', (name, value) => add(`picker of apps: a key ${name}`, value))
    await resources.keyboard.press('Escape')
    await app.fill('')
    await resources.waitForTimeout(1_000)
    const [before, since] = [await taskMillis(resources), Date.now()]
    await resources.getByRole('button', { name: 'Edit as a table' }).click()
    const cell = resources.getByLabel('Name of Resource 3', { exact: true })
    await cell.waitFor()
    add('grid of resources: opened (ms)', Date.now() - since)
    add('grid of resources: opened, processor (ms)', (await taskMillis(resources)) - before)
    await typed(resources, cell, '[role=dialog]', (name, value) => add(`grid of resources: a key ${name}`, value))
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

/**
 * Runs in the page before its scripts: records when the awaited element is painted, and how long the page is blocked.
 */
function watch(ready) {
  const figures = { ready: 0, paint: 0, blocked: 0 }
  figures.isReady = new Promise((resolve) => {
    figures.finish = resolve
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
        figures.finish()
      }),
    )
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** The processor time of a page since this was first asked, in milliseconds. */
async function taskMillis(page) {
  if (!sessions.has(page)) {
    sessions.set(page, await page.context().newCDPSession(page))
    // Of its thread: a task that waits for the processor does not count.
    await sessions.get(page).send('Performance.enable', { timeDomain: 'threadTicks' })
  }
  const { metrics } = await sessions.get(page).send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000
}

/** Reports for four keys the time to the paint of their changes, and the processor time of a key. */
async function typed(page, field, changed, report) {
  await field.focus()
  await page.evaluate((selector) => {
    window.times = []
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        const observer = new MutationObserver(() => {
          observer.disconnect()
          requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - timeStamp)))
        })
        const all = { childList: true, subtree: true, characterData: true, attributes: true }
        observer.observe(document.querySelector(selector)?.parentElement ?? document.body, all)
      },
      { capture: true },
    )
  }, changed)
  const before = await taskMillis(page)
  for (const [index, letter] of ['1', '2', '3', '4'].entries()) {
    await page.keyboard.press(letter)
    await page.evaluate(
      `(async () => { while (times.length <= ${index}) await new Promise((go) => setTimeout(go, 20)) })()`,
    )
    await page.waitForTimeout(300)
  }
  report('processor (ms)', ((await taskMillis(page)) - before) / 4)
  for (const time of await page.evaluate('window.times')) report('(ms)', time)
}

/** Reports the frames while a list, or the page if it has no name, is scrolled so far. */
async function scrolled(page, name, distance, report) {
  const before = await taskMillis(page)
  const frames = await page.evaluate(
    ([label, far]) =>
      new Promise((resolve) => {
        const list = label
          ? document.querySelector(`main section[aria-label=${label}][tabindex]`)
          : [document.querySelector('main'), document.scrollingElement].find(
              (each) => each.scrollHeight > each.clientHeight,
            )
        const times = []
        let last = performance.now()
        const step = (now) => {
          times.push(now - last)
          last = now
          const place = list.scrollTop
          list.scrollTop += 600
          if (list.scrollTop < far && (list.scrollTop > place || far > 300_000)) return requestAnimationFrame(step)
          resolve(times)
        }
        requestAnimationFrame(step)
      }),
    [name, distance],
  )
  frames.sort((a, b) => b - a)
  report('longest frame (ms)', frames[0])
  report('frames above 50 ms', frames.filter((frame) => frame > 50).length)
  report('processor of a frame (ms)', ((await taskMillis(page)) - before) / frames.length)
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
