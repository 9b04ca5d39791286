import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { registerKeysCommand } from '../../src/cli/keys.js'
import { registerTokensCommand } from '../../src/cli/tokens.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { runCommandBeside } from '../support/command-beside.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { timed } from '../support/timed.js'

const { acme, it: itTeam, users } = fixture

describe('svc keys and svc tokens', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })

  afterAll(() => service.stop())

  const svc = (line: readonly string[], options: { stdin?: string; offline?: boolean } = {}) =>
    runCommandBeside(service, [registerKeysCommand, registerTokensCommand], line, options)
  const json = async (...line: string[]) => {
    const { failure, stdout } = await svc([...line, '--json'])
    expect(failure).toBeUndefined()
    expect(stdout.split('\n')).toHaveLength(2)
    return JSON.parse(stdout)
  }
  const tokenOf = (id: string, secret: string) => {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    return service.rest('POST', '/v2/auth/token', { form })
  }

  it('create a key that works at once, with one JSON object on standard output', async () => {
    const key = await json('keys', 'create', '--org', acme)
    expect(Object.keys(key)).toEqual(['id', 'secret', 'kind', 'organizationId', 'teamId', 'permissions'])
    expect(key).toMatchObject({ kind: 'pk', organizationId: acme, teamId: '' })
    expect((await tokenOf(key.id, key.secret)).status).toBe(200)
  })

  it('create a key with team, kind, name and permissions', async () => {
    const line = ['--team', itTeam, '--kind', 'wk', '--name', 'Nightly', '--permission', 'tickets:read']
    const key = await json('keys', 'create', '--org', acme, ...line, '--permission', 'apps:read')
    expect(key).toMatchObject({ kind: 'wk', teamId: itTeam, permissions: ['apps:read', 'tickets:read'] })
    const { keys } = await json('keys', 'list', '--org', acme)
    expect(keys.find(({ id }: { id: string }) => id === key.id)).toEqual({
      id: key.id,
      kind: 'wk',
      organizationId: acme,
      teamId: itTeam,
      name: 'Nightly',
      permissions: ['apps:read', 'tickets:read'],
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
  })

  it('show a secret only once: no list has it', async () => {
    const key = await json('keys', 'create', '--org', acme)
    const lists = [await svc(['keys', 'list', '--org', acme]), await svc(['keys', 'list', '--org', acme, '--json'])]
    for (const { stdout, stderr } of lists) {
      expect(stdout).toContain(key.id)
      expect(stdout + stderr).not.toContain(key.secret)
    }
  })

  it('revoke a key permanently', async () => {
    const key = await json('keys', 'create', '--org', acme)
    const { json: answer } = await tokenOf(key.id, key.secret)
    const use = () => service.rest('GET', `/v2/app-instances?teamId=${itTeam}`, { token: answer.access_token })
    expect((await use()).status).not.toBe(401)
    expect((await svc(['keys', 'revoke', key.id])).stdout).toBe(`revoked ${key.id}\n`)
    expect((await use()).status).toBe(401)
    expect((await tokenOf(key.id, key.secret)).status).toBe(401)
    expect((await svc(['keys', 'revoke', key.id])).stdout).toBe(`${key.id} was already revoked\n`)
    const { keys } = await json('keys', 'list', '--org', acme)
    expect(keys.find(({ id }: { id: string }) => id === key.id)).toMatchObject({ revokedAt: expect.any(String) })
  })

  it('create a key that expires, along with all its tokens', async () => {
    const { result: key, isLater } = await timed(() => json('keys', 'create', '--org', acme, '--expires', '30m'))
    expect(isLater(key.expiresAt, 1_800)).toBe(true)
    const token = await timed(() => tokenOf(key.id, key.secret))
    const { json: answer } = token.result
    // In whole seconds, the begun one left out.
    expect(token.isLater(key.expiresAt, answer.expires_in + 1)).toBe(true)
    const ends = `SELECT k.expires_at = s.expires_at AS together FROM api_keys k
                    JOIN api_key_sessions s ON s.organization_id = $1 AND s.api_key_id = k.id
                   WHERE k.organization_id = $1 AND k.id = $2`
    expect(await service.database.query(ends, [acme, key.id])).toEqual([{ together: true }])
    for (const table of ['api_keys', 'api_key_sessions']) {
      const id = table === 'api_keys' ? 'id' : 'api_key_id'
      await service.database.execute(`UPDATE ${table} SET expires_at = now() WHERE ${id} = $1`, [key.id])
    }
    const use = await service.rest('GET', `/v2/app-instances?teamId=${itTeam}`, { token: answer.access_token })
    expect([use.status, (await tokenOf(key.id, key.secret)).status]).toEqual([401, 401])
  })

  it('show which keys expire, and which expire soon', async () => {
    const durations = ['90s', '7d', '8d', '3650d']
    const states = await Promise.all(
      durations.map(async (duration) => {
        const { id, expiresAt } = await json('keys', 'create', '--org', acme, '--expires', duration)
        return { id, expiresAt, state: duration === '90s' || duration === '7d' ? 'expires soon,' : 'active until' }
      }),
    )
    const long = await json('keys', 'create', '--org', acme, '--expires', '8d')
    expect((await tokenOf(long.id, long.secret)).json.expires_in).toBe(3600)
    await service.database.execute('UPDATE api_keys SET expires_at = $2 WHERE id = $1', [long.id, new Date(0)])
    const { stdout } = await svc(['keys', 'list', '--org', acme])
    for (const { id, expiresAt, state } of states) {
      expect(stdout).toContain(`${id}  pk  organization  ${state} ${expiresAt}  never used`)
    }
    expect(stdout).toContain(`${long.id}  pk  organization  expired 1970-01-01T00:00:00.000Z`)
    const { keys } = await json('keys', 'list', '--org', acme)
    expect(keys).toContainEqual(expect.objectContaining({ id: states[0]?.id, expiresAt: states[0]?.expiresAt }))
  })

  it('rotate a key: its successor works at once, and both work until the overlap is over', async () => {
    const key = await json('keys', 'create', '--org', acme, '--team', itTeam, '--permission', 'apps:read')
    const rotation = await timed(() => svc(['keys', 'rotate', key.id, '--json']))
    const { failure, stdout, stderr } = rotation.result
    expect([failure, stdout.split('\n')]).toEqual([undefined, [expect.any(String), '']])
    const successor = JSON.parse(stdout)
    const { id, secret, rotatedFrom, ...reach } = successor
    expect({ ...reach, rotatedFrom }).toEqual({
      kind: 'pk',
      organizationId: acme,
      teamId: itTeam,
      permissions: ['apps:read'],
      rotatedFrom: key.id,
    })
    expect([(await tokenOf(key.id, key.secret)).status, (await tokenOf(id, secret)).status]).toEqual([200, 200])
    const [, end = ''] = /is valid until (\S+)\.\n$/.exec(stderr) ?? []
    expect(rotation.isLater(end, 86_400)).toBe(true)
    const list = (await svc(['keys', 'list', '--org', acme])).stdout
    expect(list).toContain(`${key.id}  pk  team ${itTeam}  expires soon, ${end}`)
    expect(list.split('\n').find((line) => line.startsWith(id))).toContain(`rotated from ${key.id}`)
    const { keys } = await json('keys', 'list', '--org', acme)
    expect(keys.find((listed: { id: string }) => listed.id === id)).toMatchObject({ rotatedFrom: key.id })
    expect((await svc(['keys', 'rotate', key.id])).failure).toBe(
      `${key.id} was already rotated: its successor is ${id}`,
    )
  })

  it.each(['0', '0s'])('rotate a leaked key with an overlap of %s: the old one no longer works', async (overlap) => {
    const key = await json('keys', 'create', '--org', acme)
    const { stdout, stderr } = await svc(['keys', 'rotate', key.id, '--overlap', overlap])
    const [, id = '', secret = ''] = /^id +(\S+)\nsecret +(\S+)\n/.exec(stdout) ?? []
    expect(stderr).toBe(`The secret is not shown again.\n${key.id} is revoked.\n`)
    expect([(await tokenOf(key.id, key.secret)).status, (await tokenOf(id, secret)).status]).toEqual([401, 200])
    expect((await svc(['keys', 'rotate', key.id, '--overlap', overlap])).failure).toContain('was already rotated')
  })

  it('revoke a whole chain of rotated keys with one command', async () => {
    const key = await json('keys', 'create', '--org', acme)
    const { id } = await json('keys', 'rotate', key.id, '--overlap', '90s')
    const { stdout } = await svc(['keys', 'revoke', id, '--chain'])
    expect(stdout.split('\n').sort()).toEqual(['', `revoked ${key.id}`, `revoked ${id}`].sort())
    expect((await svc(['keys', 'revoke', key.id, '--chain'])).stdout).toBe(`${key.id} was already revoked\n`)
    expect((await svc(['keys', 'rotate', id])).failure).toBe(`${id} is revoked: create a new key instead`)
  })

  it('explain what cannot be done', async () => {
    const form = (min: string, max: string) =>
      `must be from ${min} to ${max}, such as 90s, 30m, 24h or 30d; a bare number is seconds`
    const failures = [
      [['keys', 'create', '--org', 'nowhere'], 'organization not found'],
      [['keys', 'create', '--org', acme, '--team', 'nobody'], 'team not found'],
      [
        ['keys', 'create', '--org', acme, '--permission', 'all'],
        'permissions: all is not a permission that a pk key of an organization can use: access:read, access:write, ',
      ],
      [['keys', 'create', '--org', acme, '--kind', 'xk'], 'Allowed choices are pk, wk, mk.'],
      [['keys', 'create', '--org', acme, '--expires', '0s'], form('1s', '3650d')],
      [['keys', 'create', '--org', acme, '--expires', '1w'], form('1s', '3650d')],
      ...['3651d', '20y', '315360001'].map(
        (long) =>
          [
            ['keys', 'create', '--org', acme, '--expires', long],
            `'${long}' is invalid. ${form('1s', '3650d')}`,
          ] as const,
      ),
      [
        ['keys', 'create', '--org', acme, '--kind', 'wk', '--permission', 'audit:read'],
        'permissions: audit:read is not a permission that a wk key of an organization can use: access:read, ',
      ],
      [
        ['keys', 'create', '--org', acme, '--team', itTeam, '--permission', 'apps:read', '--permission', 'users:read'],
        'permissions: users:read is not a permission that a pk key of a team can use: access:read, ',
      ],
      [['keys', 'create'], "required option '--org <id>' not specified"],
      [['keys', 'revoke', 'nothing'], 'API key not found'],
      [['keys', 'rotate', 'nothing'], 'API key not found'],
      [['keys', 'rotate', 'nothing', '--overlap', '1w'], form('0s', '3650d')],
      [['tokens', 'create', '--user', 'nobody', '--org', acme], 'active member not found'],
      [['tokens', 'create', '--user', users.admin, '--org', acme, '--ttl', '0'], form('1s', '90d')],
      [['tokens', 'create', '--user', users.admin, '--org', acme, '--ttl', '91d'], form('1s', '90d')],
    ] as const
    for (const [line, message] of failures) {
      const { failure, stdout } = await svc(line)
      expect([failure, stdout]).toEqual([expect.stringContaining(message), ''])
    }
  })

  it.each([
    ['90', 90],
    ['90s', 90],
    ['30m', 1_800],
    ['2h', 7_200],
    ['90d', 7_776_000],
  ])('read %s the same way for keys, rotations and tokens', async (duration, seconds) => {
    const { result, isLater } = await timed(async () => {
      const key = await json('keys', 'create', '--org', acme, '--expires', duration)
      const token = await json('tokens', 'create', '--user', users.admin, '--org', acme, '--ttl', duration)
      const old = await json('keys', 'create', '--org', acme)
      return { key, token, ...(await svc(['keys', 'rotate', old.id, '--overlap', duration])) }
    })
    const [, end = ''] = /is valid until (\S+)\.\n$/.exec(result.stderr) ?? []
    expect([result.key.expiresAt, result.token.expiresAt, end].map((time) => isLater(time, seconds))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('create a management key that expires', async () => {
    const create = () => json('keys', 'create', '--org', acme, '--kind', 'mk', '--expires', '30d')
    const { result, isLater } = await timed(create)
    expect(isLater(result.expiresAt, 30 * 86_400)).toBe(true)
  })

  it('create a user token that works at once', async () => {
    const create = () => json('tokens', 'create', '--user', users.admin, '--org', acme, '--ttl', '3600')
    const { result: answer, isLater } = await timed(create)
    expect(Object.keys(answer)).toEqual(['token', 'expiresAt'])
    expect(isLater(answer.expiresAt, 3_600)).toBe(true)
    const use = await service.rest('GET', `/v2/app-instances?teamId=${itTeam}`, { token: answer.token })
    expect(use.status).not.toBe(401)
  })

  it('check a secret by its form alone, from an argument or standard input, without echoing it', async () => {
    const secret = createApiKeySecret('wk', service.runtime)
    const changed = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`
    const good = { failure: undefined, stdout: 'an API key secret of kind wk\n', stderr: '' }
    expect(await svc(['keys', 'check', secret], { offline: true })).toEqual(good)
    expect(await svc(['keys', 'check', '-'], { offline: true, stdin: `${secret}\n` })).toEqual(good)
    const bad = (fault: string) => ({ failure: `not an API key secret: the ${fault} is wrong`, stdout: '', stderr: '' })
    expect(await svc(['keys', 'check', changed], { offline: true })).toEqual(bad('checksum'))
    expect(await svc(['keys', 'check', '-'], { offline: true, stdin: 'hunter2' })).toEqual(bad('form'))
  })
})
