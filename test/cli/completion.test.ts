import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { installedShells } from '../support/shells.js'

const shells = installedShells(['bash', 'zsh', 'fish'])

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-completion-'))
  await writeFile(join(folder, 'records.ndjson'), '')
  for (const shell of shells) {
    const { status, stdout } = await runInProcess(['completion', shell], { env: {} })
    expect(status).toBe(0)
    await writeFile(join(folder, shell), stdout)
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** The commands for each shell that complete a line whose words are its arguments, and print what it would offer. */
const programs: Readonly<Record<string, string>> = {
  bash: `source ./bash; COMP_LINE="$*" COMP_POINT=\${#COMP_LINE}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of zsh's own completion print what they are given, as far as it begins with the word.
  zsh: `
    compdef() { }
    compadd() { shift; offer "$@" }
    _files() { offer *(N) }
    _describe() { shift 2; offer "\${(@)described%%:*}" "\${(@M)described:#*\\\\\\\\:*}" }
    offer() { local each; for each; do if [[ $each == "\${words[CURRENT]}"* ]]; then print -r -- $each; fi; done }
    source ./zsh
    words=("$@") CURRENT=$#
    _svc`,
  fish: `source ./fish; complete -C "$argv"`,
}

async function complete(shell: string, line: string): Promise<string[]> {
  const words = line.split(' ')
  const args = {
    bash: ['--norc', '-c', programs['bash'] ?? '', 'bash', ...words],
    zsh: ['-f', '-c', programs['zsh'] ?? '', 'zsh', ...words],
    fish: ['--no-config', '-c', programs['fish'] ?? '', line],
  }[shell]
  const { stdout, stderr } = await promisify(execFile)(shell, args ?? [], { cwd: folder })
  expect(stderr).toBe('')
  return stdout.split('\n').flatMap((offer) => offer.split('\t')[0] || [])
}

describe.each(shells)('svc completion %s', (shell) => {
  it.each([
    ['svc mi', ['migrate']],
    ['svc dis', ['distribute']],
    ['svc ini', ['init']],
    ['svc init --', ['--admin', '--help', '--json', '--org']],
    ['svc import --m', ['--merge']],
    ['svc ev', ['events']],
    ['svc events tail --f', ['--follow', '--from']],
    ['svc keys c', ['check', 'create']],
    ['svc keys create --k', ['--kind']],
    ['svc keys create --kind ', ['mk', 'pk', 'wk']],
    ['svc keys create --kind w', ['wk']],
    ['svc keys create --org org_acme --permission us', ['users:read', 'users:write']],
    ['svc keys create --org ', []],
    ['svc serve --wor', ['--workers']],
    ['svc import rec', ['records.ndjson']],
    ['svc completion f', ['fish']],
    ['svc nothing', []],
  ])('completes %j', async (line, expected) => {
    expect((await complete(shell, line)).toSorted()).toEqual(expected)
  })
})

describe('svc completion', () => {
  it('completes after the colon, which separates words in bash', async () => {
    expect(await complete('bash', 'svc keys create --permission users:w')).toEqual(['write'])
  })

  it('offers every command and every option of the program', async () => {
    const { stdout: help } = await runInProcess(['--help'], { env: {} })
    const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
    expect(commands.length).toBeGreaterThan(10)
    expect(await complete('bash', 'svc ')).toEqual(expect.arrayContaining(commands))
  })

  it('supports no other shell', async () => {
    const { status, stdout, stderr } = await runInProcess(['completion', 'tcsh'], { env: {} })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Allowed choices are bash, zsh, fish')
  })
})
