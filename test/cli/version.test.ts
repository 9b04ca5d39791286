import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { readBuild } from '../../src/package.js'
import { runInProcess } from '../support/command-line.js'

const root = join(import.meta.dirname, '../..')

describe('svc version', () => {
  it('prints the version of the package and the commit that is checked out, for people and programs', async () => {
    // Without Git, and in another user's checkout, nobody knows.
    const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() || 'unknown'
    const { status, stdout } = await runInProcess(['version', '--json'], { env: {} })
    expect([status, JSON.parse(stdout)]).toEqual([0, { version: '0.1.0', commit, node: process.version }])
    const text = await runInProcess(['version'], { env: {} })
    expect(text).toEqual({ status: 0, stdout: `svc 0.1.0 (commit ${commit}, Node ${process.version})\n`, stderr: '' })
  })
})

describe('the build of a package', () => {
  it.each([
    ['as it was packed', { gitHead: 'abc' }, 'abc'],
    ['unknown outside of a repository', {}, 'unknown'],
  ])('is %s', (_, fields, commit) => {
    const folder = mkdtempSync(join(scratchFolder(), 'svc-build-'))
    try {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', ...fields }))
      expect(readBuild(folder)).toEqual({ version: '1.2.3', commit })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
