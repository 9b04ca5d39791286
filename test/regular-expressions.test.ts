import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { scratchFolder } from './support/scratch-folder.js'

const run = promisify(execFile)
const script = join(import.meta.dirname, 'support/regular-expressions-process.mjs')
const root = join(import.meta.dirname, '..')
/** How long all literals of a folder may take to be judged. */
const TEST_MILLIS = 300_000

/** In a process of its own, in which the checker needs no other one. */
async function faultsIn(folder: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, [script, folder], {
    env: { ...process.env, RECHECK_BACKEND: 'pure' },
    timeout: TEST_MILLIS,
  })
  return JSON.parse(stdout)
}

describe('a regular expression', () => {
  it.each(['src', 'client/src', 'web'])(
    'in %s takes a time that grows with the length of a text alone, whatever is in it',
    async (folder) => {
      expect(await faultsIn(join(root, folder))).toEqual([])
    },
    TEST_MILLIS,
  )

  it('is found where its time grows with the square of the length', async () => {
    const folder = await mkdtemp(join(scratchFolder(), 'svc-test-'))
    await writeFile(join(folder, 'a.ts'), String.raw`export const token: RegExp = /\beyJ[\w-]{8,}\.[\w-]+/`)
    expect(await faultsIn(folder)).toMatchObject([{ file: 'a.ts', verdict: 'vulnerable' }])
    await rm(folder, { recursive: true })
  })
})
