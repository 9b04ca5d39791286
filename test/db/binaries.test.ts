import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { canEnter, unprivilegedAccount } from '../../src/db/embedded/account.js'
import { installedPackage, prepareBinaries } from '../../src/db/embedded/binaries.js'
import { type Place, resolvePlace } from '../../src/db/embedded/place.js'

describe('the programs of the embedded PostgreSQL', () => {
  let folder: string
  let place: Place
  /** A copy of the package as npm unpacks it: without links. */
  let installed: string
  let links: { target: string }[]

  beforeEach(() => {
    folder = join(tmpdir(), `svc-binaries-${randomUUID()}`)
    mkdirSync(folder)
    chmodSync(folder, 0o711)
    place = resolvePlace(join(folder, 'data'))
    const original = installedPackage()
    links = JSON.parse(readFileSync(join(original, 'native/pg-symlinks.json'), 'utf8'))
    installed = join(folder, 'installed', 'package')
    cpSync(original, installed, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() })
  })

  afterEach(() => {
    chmodSync(dirname(installed), 0o755)
    chmodSync(join(installed, 'native/lib'), 0o755)
    rmSync(folder, { recursive: true })
  })

  const runs = (program: string) =>
    execFileSync(program, ['--version'], { ...place.account, cwd: place.directory, encoding: 'utf8' })

  it('get the links that npm has not created, in place', () => {
    expect(links.length).toBeGreaterThan(0)
    expect(existsSync(join(installed, links[0]?.target ?? ''))).toBe(false)
    const { postgres } = prepareBinaries(place, installed)
    expect(postgres).toBe(join(installed, 'native/bin/postgres'))
    for (const { target } of links) expect(existsSync(join(installed, target))).toBe(true)
    expect(runs(postgres)).toContain('(PostgreSQL) 18')
  })

  it('are copied once to where the server can reach them, if it cannot or if they cannot be completed in place', () => {
    // Root may write everywhere and the server's account may not enter; an ordinary user may not write.
    if (place.account === undefined) chmodSync(join(installed, 'native/lib'), 0o555)
    else chmodSync(dirname(installed), 0o700)
    const { postgres } = prepareBinaries(place, installed)
    expect(postgres.startsWith(`${place.directory}/binaries-`)).toBe(true)
    expect(runs(postgres)).toContain('(PostgreSQL) 18')
    const made = statSync(postgres).mtimeMs
    expect(prepareBinaries(place, installed).postgres).toBe(postgres)
    expect(statSync(postgres).mtimeMs).toBe(made)
  })
})

describe('the account of the embedded PostgreSQL', () => {
  it('is the first of svc, postgres and nobody that exists on the system', () => {
    const nobody = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/usr/sbin/nologin\n'
    expect(unprivilegedAccount(nobody)).toEqual({ uid: 65534, gid: 65533 })
    expect(unprivilegedAccount(`${nobody}svc:x:998:997::/:/bin/false\n`)).toEqual({ uid: 998, gid: 997 })
    expect(unprivilegedAccount('nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false')).toEqual({
      uid: 4294967294,
      gid: 4294967294,
    })
    expect(() => unprivilegedAccount('root:x:0:0::/root:/bin/sh\nnobody:x:0:0::/:/bin/sh')).toThrow('set DATABASE_URL')
  })

  it('can enter a folder only if it can enter every parent', () => {
    const folder = join(tmpdir(), `svc-account-${randomUUID()}`)
    const inner = join(folder, 'inner')
    mkdirSync(inner, { recursive: true })
    const { uid, gid } = statSync(inner)
    chmodSync(inner, 0o711)
    for (const [mode, owner, group, other] of [
      [0o711, true, true, true],
      [0o710, true, true, false],
      [0o700, true, false, false],
    ] as const) {
      chmodSync(folder, mode)
      expect(canEnter({ uid, gid }, inner)).toBe(owner)
      expect(canEnter({ uid: uid + 1, gid }, inner)).toBe(group)
      expect(canEnter({ uid: uid + 1, gid: gid + 1 }, inner)).toBe(other)
    }
    chmodSync(folder, 0o711)
    rmSync(folder, { recursive: true })
  })
})
