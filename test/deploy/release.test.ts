import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { runCommand } from '../support/program.js'

const root = join(import.meta.dirname, '../..')

/** A repository with the files of this one, in which a tag can be set. */
let checkout: string
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
    cwd: checkout,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
const edit = (path: string, change: (text: string) => string) => {
  writeFileSync(join(checkout, path), change(readFileSync(join(checkout, path), 'utf8')))
}
/** Without the image builders that some machines have. */
const release = (...args: string[]) => {
  const PATH = join(checkout, 'programs')
  return runCommand('npm', ['run', '--silent', 'release', '--', ...args], { cwd: checkout, env: { PATH } })
}

beforeAll(() => {
  checkout = mkdtempSync(join(scratchFolder(), 'svc-release-'))
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true })
    cpSync(join(root, file), join(checkout, file))
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  mkdirSync(join(checkout, 'programs'))
  for (const program of ['npm', 'git', 'tar', 'gzip', 'sh', 'bash', 'rm', 'cp', 'env']) {
    symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(checkout, 'programs', program))
  }
  symlinkSync(process.execPath, join(checkout, 'programs/node'))
  git('init', '--quiet')
  git('add', '--all', '--', '.', ':!node_modules', ':!programs')
  git('commit', '--quiet', '--message', 'All')
})
afterAll(() => rmSync(checkout, { recursive: true }))

describe('npm run release', () => {
  it('requires a tag that matches the version of all files, and a clean tree', async () => {
    expect(await release()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^release: no tag such as v1\.2\.3/),
    })
    git('tag', 'v0.2.0')
    expect(await release()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^release: the tag is v0\.2\.0, but package\.json has 0\.1\.0, client\/package\.json has/,
      ),
    })
    git('tag', '--delete', 'v0.2.0')
    git('tag', 'v0.1.0')
    edit('LICENSE', (text) => `${text}\n`)
    expect(await release()).toMatchObject({ status: 1, stderr: expect.stringContaining('files differ from the tag') })
    git('restore', 'LICENSE')
  })

  it('makes packages and chart, and reports that no tool could make an image', async () => {
    const { status, stdout, stderr } = await release()
    const commit = git('rev-parse', 'HEAD')
    expect([status, stderr]).toEqual([1, expect.stringContaining('release: NO IMAGE was made: there is no docker')])
    expect(stderr).toContain(`--build-arg COMMIT=${commit} --tag svc:0.1.0 .`)
    expect(stdout).toMatch(/^packages .*\nchart: /)
    const listed = (path: string) =>
      execFileSync('tar', ['-tzf', join(checkout, 'dist/release', path)], { encoding: 'utf8' }).split('\n')
    expect(listed('packages/svc-admin-client-0.1.0.tgz')).toContain('package/dist/client/src/index.js')
    expect(listed('packages/svc-admin-rest-transcoder-0.1.0.tgz')).toContain('package/dist/rest/index.js')
    expect(listed('chart/svc-0.1.0.tgz')).toContain('svc/Chart.yaml')
    execFileSync('tar', ['-xzf', join(checkout, 'dist/release/packages/svc-admin-svc-0.1.0.tgz'), '-C', checkout])
    const program = await runCommand(process.execPath, [join(checkout, 'package/bin/svc.mjs'), 'version', '--json'])
    expect(JSON.parse(program.stdout)).toMatchObject({ version: '0.1.0', commit })
  })
})
