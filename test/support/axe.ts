import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** axe-core's findings in a part of the page, including best practices: `rule: selector (why)` for each finding. */
export async function findingsOf(page: Page, part = 'html'): Promise<string[]> {
  // During the transition from one mode to the other, colours have neither mode's contrast.
  await page.evaluate(
    `document.getAnimations().filter((change) => change instanceof CSSTransition).forEach((change) => change.finish())`,
  )
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(`{ ${axe.source} }`)
  const { violations }: axe.AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ['violations'] })`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => `${id}: ${target.join(' ')} (${[...any, ...all, ...none][0]?.message})`),
  )
}
