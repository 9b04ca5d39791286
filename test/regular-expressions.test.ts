import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../harness/scratch-folder.js'

const run = promisify(execFile)
const script = join(import.meta.dirname, 'support/regular-expressions-process.mjs')
const root = join(import.meta.dirname, '..')

interface Checked {
  readonly searched: number
  readonly faults: readonly object[]
}

/** In a process of its own, with which the checker's ends; `built` is where the modules can be loaded from. */
async function check(folder: string, ...built: readonly string[]): Promise<Checked> {
  const { stdout } = await run(process.execPath, [script, folder, ...built])
  return JSON.parse(stdout)
}

describe('a regular expression', () => {
  it.each([['src', 'dist/src'], ['client/src'], ['console/src'], ['web'], ['proto']])(
    'in %s runs in linear time on any text',
    async (folder, ...built) => {
      const { searched, faults } = await check(join(root, folder), ...built.map((each) => join(root, each)))
      expect(faults).toEqual([])
      expect(searched).toBeGreaterThan(0)
    },
  )

  it.each([
    ['a literal', 'vulnerable', String.raw`export const token = /\beyJ[\w-]{8,}\.[\w-]+/`],
    ['put together', 'vulnerable', `export const token = new RegExp('^' + '(a+)+$')`],
    ['slow', 'slow', String.raw`export const token = /\s+x/`],
  ])('is reported if it runs in quadratic time: %s', async (_, verdict, text) => {
    const folder = await mkdtemp(join(scratchFolder(), 'svc-expression-'))
    await writeFile(join(folder, 'a.mjs'), text)
    const { faults } = await check(folder, folder)
    expect(faults).toContainEqual(expect.objectContaining({ verdict }))
    await rm(folder, { recursive: true })
  })
})
