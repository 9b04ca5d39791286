import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { registerKeysCommand } from '../../src/cli/keys.js'
import { registerOrganizationsCommand } from '../../src/cli/organizations.js'
import { registerTokensCommand } from '../../src/cli/tokens.js'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { runCommandBeside } from '../support/command-beside.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, it: itTeam, users } = fixture

describe('a credential that was found', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  const svc = (line: readonly string[], stdin = '') =>
    runCommandBeside(service, [registerKeysCommand, registerTokensCommand, registerOrganizationsCommand], line, {
      stdin,
    })
  const json = async (line: readonly string[], stdin = '') => {
    const { failure, stdout } = await svc([...line, '--json'], stdin)
    expect([failure, stdout.split('\n').length]).toEqual([undefined, 2])
    return JSON.parse(stdout)
  }
  const createKey = (...options: string[]) => json(['keys', 'create', '--org', acme, ...options])
  const createToken = async (userId: string): Promise<string> =>
    (await json(['tokens', 'create', '--org', acme, '--user', userId])).token
  const me = (command: string) => `${userInfo().username} (svc ${command})`

  it('is traced to its key, by its secret and by its id', async () => {
    const key = await createKey('--team', itTeam, '--name', 'Nightly', '--expires', '30d')
    const expected = {
      credential: 'API key',
      id: key.id,
      kind: 'pk',
      organizationId: acme,
      organizationName: 'Acme',
      teamId: itTeam,
      teamName: expect.any(String),
      name: 'Nightly',
      createdBy: me('keys create'),
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
      expiresAt: key.expiresAt,
      revokedAt: null,
    }
    expect(await json(['keys', 'find', '-'], ` "${key.secret}"\n`)).toEqual(expected)
    expect(await json(['keys', 'find', key.id])).toEqual(expected)
    const { stdout, stderr } = await svc(['keys', 'find', '-'], key.secret)
    expect(stdout).toContain(`createdBy         ${me('keys create')}\n`)
    expect(stdout).toContain('lastUsedAt\n')
    expect(stdout + stderr).not.toContain(key.secret)
  })

  it('shows who rotated a key, and that it is revoked', async () => {
    const key = await createKey()
    const successor = await json(['keys', 'rotate', key.id, '--overlap', '0'])
    expect(await json(['keys', 'find', successor.id])).toMatchObject({ createdBy: me('keys rotate'), revokedAt: null })
    expect(await json(['keys', 'find', '-'], key.secret)).toMatchObject({ revokedAt: expect.stringMatching(/Z$/) })
  })

  it('shows the key of an access token, and its use', async () => {
    const key = await createKey()
    const form = { grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret }
    const { json: answer } = await service.rest('POST', '/v2/auth/token', { form })
    const found = await json(['keys', 'find', '-'], answer.access_token)
    expect(found).toMatchObject({ credential: 'access token', id: key.id, organizationId: acme })
  })

  it('shows the user of a user token', async () => {
    const found = await json(['keys', 'find', '-'], await createToken(users.admin))
    expect(found).toEqual({
      credential: 'user token',
      organizationId: acme,
      organizationName: 'Acme',
      userId: users.admin,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
  })

  it.each([
    [['keys', 'find', '-'], 'hunter2', 'standard input does not contain a secret or token of this service'],
    [['keys', 'find', '-'], '', 'standard input does not contain a secret or token of this service'],
    [['keys', 'find', 'nothing'], '', 'API key not found'],
    [['tokens', 'revoke', 'nothing'], '', 'user token not found'],
    [['tokens', 'revoke', '0'.repeat(64)], '', 'user token not found'],
    [['tokens', 'list'], '', 'specify whose tokens to list: --org ID, --user ID, or both'],
  ])('is explained in one line when %j with %j finds nothing', async (line, stdin, message) => {
    const { failure, stdout } = await svc(line, stdin)
    expect([failure, stdout]).toEqual([expect.stringContaining(message), ''])
  })

  it('is reported as unknown if the secret was never issued', async () => {
    const { failure } = await svc(['keys', 'find', '-'], createApiKeySecret('pk', service.runtime))
    expect(failure).toBe('no key or token has this secret')
  })

  it("appears in the list of a user's tokens, where one can be revoked with an audit event", async () => {
    const [first, second] = [await createToken(users.viewer), await createToken(users.viewer)]
    const use = async (token: string) => (await service.rest('GET', '/v2/users', { token })).status
    expect(await use(first)).not.toBe(401)
    const { tokens } = await json(['tokens', 'list', '--user', users.viewer])
    expect(tokens).toHaveLength(2)
    expect(tokens[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      organizationId: acme,
      userId: users.viewer,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
    const { stdout: line } = await svc(['tokens', 'list', '--org', acme, '--user', users.viewer])
    expect(line).toContain(`${tokens[0].id}  ${acme}  ${users.viewer}  created ${tokens[0].createdAt}  active until `)
    const { failure } = await svc(['tokens', 'list', '--org', globex, '--user', users.viewer])
    expect(failure).toContain('user not found')

    const { stdout } = await svc(['tokens', 'revoke', tokens[0].id])
    expect(stdout).toBe(`revoked a token of ${users.viewer} in ${acme}\n`)
    const statuses = [await use(first), await use(second)]
    expect(statuses.filter((status) => status === 401)).toEqual([401])
    expect((await json(['tokens', 'list', '--org', acme, '--user', users.viewer])).tokens).toHaveLength(1)
    const text = 'SELECT actor_kind FROM audit_events WHERE action = $1 AND target_id = $2'
    expect(await service.database.query(text, ['user_token.revoke', users.viewer])).toEqual([{ actor_kind: 'SYSTEM' }])
  })

  it('belongs to an organization that a list shows', async () => {
    const { organizations } = await json(['organizations', 'list'])
    expect(organizations).toContainEqual({ id: acme, name: 'Acme', region: 'us' })
    expect((await svc(['organizations', 'list'])).stdout).toContain(`${acme}  us  Acme\n`)
  })
})
