import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'

const folder = join(import.meta.dirname, '../../deploy/local-cluster')

/** In a locale that is not installed, bash warns. */
const options = { env: { ...process.env, LC_ALL: 'C' } }

/** How the script ends, with what it says. */
async function run(script: string, ...args: string[]): Promise<{ status: unknown; stderr: string }> {
  try {
    const { stderr } = await promisify(execFile)(join(folder, script), args, options)
    return { status: 0, stderr }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'stderr' in error)) throw error
    return { status: error.code, stderr: String(error.stderr) }
  }
}

describe('the scripts of local clusters', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-no-cluster-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  it.each(['local-cluster.sh', 'citus-cluster.sh', 'install.sh'])('is complete (%s)', async (name) => {
    expect(await promisify(execFile)('bash', ['-n', join(folder, name)], options)).toEqual({ stdout: '', stderr: '' })
  })

  it('refuses unknown arguments, and creates nothing', async () => {
    expect(await run('local-cluster.sh', 'restart', directory)).toEqual({
      status: 1,
      stderr: "local-cluster: start or stop, not 'restart'\n",
    })
    expect(await run('citus-cluster.sh', 'restart', directory)).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^citus-cluster: start, stop, .* not 'restart'\n$/),
    })
    expect(await readdir(directory)).toEqual([])
  })

  it('stops only a cluster that it has started', async () => {
    for (const name of ['local-cluster', 'citus-cluster']) {
      const stderr = `${name}: there is no cluster in ${directory}\n`
      expect(await run(`${name}.sh`, 'stop', directory)).toEqual({ status: 1, stderr })
    }
  })
})
