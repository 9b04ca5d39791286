import type { Page } from 'playwright-core'

/** Opens the palette, and waits until it takes what is typed: the focus comes to it after it is shown. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.locator('[role=dialog] input:focus').waitFor()
}

/** What of a screen is not used by the keyboard: what Tab never reaches, and dialogs that keep or lose the focus. */
export async function keyboardFaultsOf(page: Page): Promise<string[]> {
  await page.evaluate(defineWalk)
  const faults = await unreached(page, 'main')
  // The buttons of the same name do the same, for each row.
  const names = await page.evaluate<string[]>('walk.buttons()')
  for (const name of names) faults.push(...(await dialogFaults(page, name)))
  return faults
}

/** Presses Tab from the beginning of an element until each of its controls has had the focus, or should have had it. */
async function unreached(page: Page, within: string): Promise<string[]> {
  const most = await page.evaluate<number>(`walk.begin(${JSON.stringify(within)})`)
  // A dialog gives the focus to its first field, which a link or a table may stand before.
  const before = await page.evaluate<number>('walk.before()')
  for (let presses = 0; presses < before; presses++) await page.keyboard.press('Shift+Tab')
  for (let presses = 0; presses < most && !(await page.evaluate('walk.isOver()')); presses++) {
    await page.keyboard.press('Tab')
  }
  return page.evaluate<string[]>('walk.unreached()')
}

/** Presses a button with Enter; if that opens a dialog, walks through it and leaves it with Escape. */
async function dialogFaults(page: Page, name: string): Promise<string[]> {
  // One that removes a filter may have taken it away.
  if (!(await page.evaluate(`walk.focus(${JSON.stringify(name)})`))) return []
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  const opens = `walk.opens(${JSON.stringify(name)})`
  if ((await page.evaluate(opens)) === false) return []
  // A dialog that reads first is followed by another, to which the focus then comes.
  await dialog.getByLabel('Loading').first().waitFor({ state: 'detached' })
  await page.evaluate(opens)
  const faults = await unreached(page, '[role=dialog]')
  // The first one closes the tooltip of a button that has the focus.
  await page.keyboard.press('Escape')
  if (await dialog.isVisible()) await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const focused = await page.evaluate<string>(`walk.hasFocus(${JSON.stringify(name)})`)
  return [...faults, ...(focused === '' ? [] : [`the focus goes to ${focused}`])].map((fault) => `${name}: ${fault}`)
}

/** Runs in the page: `walk` notes what has had the focus, with a ring that shows it. */
const defineWalk = `globalThis.walk ??= (() => {
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const isShown = (each) => each.checkVisibility() && each.closest('[data-base-ui-focus-guard], [inert]') === null
  // The rows of a long list come into the document while they are walked through.
  const isAhead = (each) => each.closest('tr[aria-rowindex]')?.ariaRowIndex > 4
  const nameOf = (each) => (each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent).trim()
  const hasRing = (each) => getComputedStyle(each).outlineStyle !== 'none'
  let expected = new Set()
  addEventListener('focusin', ({ target }) => hasRing(target) && expected.delete(target))
  const remaining = () => [...expected].filter((each) => each.isConnected)
  const buttons = () => [...document.querySelectorAll('main button')].filter((each) => isShown(each) && each.ariaDisabled !== 'true')
  const find = (name) => buttons().find((each) => nameOf(each) === name)
  const soon = async (isTrue) => {
    for (const end = performance.now() + 120_000; performance.now() < end && !isTrue(); ) await new Promise(requestAnimationFrame)
    return isTrue()
  }
  return {
    begin(within) {
      const root = document.querySelector(within)
      const all = [...root.querySelectorAll(controls)].filter((each) => isShown(each) && !isAhead(each) && each.tabIndex >= 0)
      expected = new Set(all)
      if (root.contains(document.activeElement) && hasRing(document.activeElement)) expected.delete(document.activeElement)
      if (within === 'main') root.focus()
      // A date has a stop for each of its parts.
      return all.length + 1 + 3 * all.filter(({ type }) => type === 'date').length
    },
    before: () => [...expected].filter((each) => each.compareDocumentPosition(document.activeElement) & 4).length,
    // A control that is drawn anew meanwhile, such as a link that gets its name, is no longer there.
    isOver: () => remaining().length === 0,
    unreached: () => remaining().map((each) => each.localName + ' ' + nameOf(each)),
    // Those that only change how something is shown open nothing.
    buttons: () => {
      const isOfView = (each) => each.role === 'tab' || each.ariaPressed !== null || nameOf(each).startsWith('Zoom ')
      const seen = new Map(buttons().filter((each) => !isOfView(each)).map((each) => [each.textContent.trim(), nameOf(each)]))
      return [...seen.values()]
    },
    focus: (name) => {
      find(name)?.focus()
      return find(name) !== undefined
    },
    hasFocus: async (name) => {
      const isBack = await soon(() => document.activeElement === find(name))
      return isBack ? '' : document.activeElement.localName + ' ' + nameOf(document.activeElement).slice(0, 40)
    },
    // A dialog is loaded when it is first opened, and then takes the focus. A button that copies or saves opens none,
    // but says that it has, or shows the text; one that removes a filter is gone.
    opens: async (name) => {
      const isOpen = () => document.activeElement.closest('[role=dialog]') !== null
      const hasCopied = ({ textContent, parentElement }) => textContent === 'Copied' || parentElement.querySelector(':scope > pre') !== null
      const statuses = () => [...document.querySelectorAll('[role=status]')]
      const hasSaved = () => name.startsWith('Export as CSV') && statuses().some(({ textContent }) => textContent.endsWith('exported.'))
      await soon(() => isOpen() || find(name) === undefined || hasCopied(document.activeElement) || hasSaved())
      return isOpen()
    },
  }
})()`
