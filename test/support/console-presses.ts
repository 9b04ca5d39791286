import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'

/** What docs/console.md says of each task: how many presses it takes, beside what is typed. */
export const documentedPresses: ReadonlyMap<string, number> = new Map(
  [...readFileSync(join(import.meta.dirname, '../../docs/console.md'), 'utf8').matchAll(/^\| (.+) \| (\d+) \|$/gm)].map(
    ([, task = '', presses]) => [task, Number(presses)],
  ),
)

/** Counts the presses of a page from now on, also on other pages that it goes to. */
export async function countPresses(page: Page): Promise<() => Promise<number>> {
  let presses = 0
  await page.exposeFunction('notePress', () => {
    presses++
  })
  const listen = `addEventListener('click', ({ isTrusted }) => isTrusted && notePress(), true)`
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return async () => {
    // Those of before have arrived when this one has.
    await page.evaluate('notePress()')
    const made = presses - 1
    presses = 0
    return made
  }
}

/** Fails unless a task took as many presses as the document says. */
export function expectDocumented(task: string, presses: number): void {
  expect([task, presses]).toEqual([task, documentedPresses.get(task)])
}
