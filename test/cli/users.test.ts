import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'

const { acme, users } = fixture

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  await insertFixture(testDatabase.open())
})
afterAll(() => testDatabase.drop())

const svc = (...args: string[]) => runInProcess(args, { env: { ...testDatabase.environment, PORT: '0' } })
const emailOf = async (userId: string) => {
  const [row] = await testDatabase
    .open()
    .query<{ email: string }>('SELECT email FROM memberships WHERE organization_id = $1 AND user_id = $2', [
      acme,
      userId,
    ])
  return row?.email ?? ''
}

describe('svc users', () => {
  it('lists the people of an organization with their ids, and no others', async () => {
    const { status, stdout } = await svc('users', 'list', '--org', acme)
    expect(status).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toContainEqual(
      expect.stringContaining(`${users.admin}  ${acme}  ${await emailOf(users.admin)}  ORG_ADMIN`),
    )
    expect(lines.filter((line) => !line.includes(`  ${acme}  `))).toEqual([])
    const listed = JSON.parse((await svc('users', 'list', '--org', acme, '--json')).stdout)
    expect(listed.users).toHaveLength(lines.length)
    expect(listed.users).toContainEqual(
      expect.objectContaining({ userId: users.admin, role: 'ORG_ADMIN', isActive: true }),
    )
  })

  it('finds people in all organizations by a part of their address, whatever its case', async () => {
    const email = await emailOf(users.admin)
    const found = JSON.parse((await svc('users', 'find', email.toUpperCase(), '--json')).stdout)
    expect(found.users).toContainEqual(expect.objectContaining({ userId: users.admin, organizationId: acme, email }))
    expect(found.users.filter((user: { email: string }) => !user.email.includes(email))).toEqual([])
    expect(await svc('users', 'find', 'no one at all')).toMatchObject({
      status: 1,
      stderr: 'svc: no one has no one at all in their id, address or name\n',
    })
    for (const sign of ['%', 'a_min']) expect((await svc('users', 'find', sign)).status).toBe(1)
  })
})

it('the address of a person is taken in place of the id, by every command that takes a person', async () => {
  const email = (await emailOf(users.admin)).toUpperCase()
  const made = await svc('tokens', 'create', '--org', acme, '--user', email, '--json')
  expect([made.status, made.stderr]).toEqual([0, ''])
  const listed = await svc('tokens', 'list', '--user', users.admin)
  expect(listed.stdout.trimEnd().split('\n')).toHaveLength(1)
  for (const org of [[], ['--org', acme]]) expect(await svc('tokens', 'list', ...org, '--user', email)).toEqual(listed)
})

describe('what a command does not find', () => {
  it.each([
    ['an organization', ['keys', 'list', '--org', 'acmee'], 'there is no organization acmee: did you mean acme?'],
    ['an organization by name', ['keys', 'list', '--org', 'Acme'], 'there is no organization Acme: did you mean acme?'],
    ['nothing near', ['users', 'list', '--org', 'elsewhere'], 'elsewhere: "svc organizations list" lists them'],
    [
      'a team',
      ['keys', 'create', '--org', acme, '--team', 'acme-itt'],
      'there is no team acme-itt: did you mean acme-it?',
    ],
    [
      'a person',
      ['tokens', 'create', '--org', acme, '--user', 'admn'],
      'there is no active member admn: did you mean admin?',
    ],
    ['a person whose tokens are wanted', ['tokens', 'list', '--user', 'admn'], 'no user admn: did you mean admin?'],
    [
      'a person who is in another organization',
      ['tokens', 'list', '--org', fixture.globex, '--user', users.admin],
      `no user ${users.admin}: "svc users list --org ID" lists them`,
    ],
    ['the organization of a person', ['tokens', 'create', '--org', 'acmee', '--user', 'admin'], 'did you mean acme?'],
    ['a key', ['keys', 'revoke', 'nothing'], 'svc: there is no api key nothing\n'],
  ])('is named with the nearest there is, and not as a lack of access: %s', async (_, args, text) => {
    const { status, stderr } = await svc(...args)
    expect([status, stderr]).toEqual([1, expect.stringContaining(text)])
    expect(stderr).not.toContain('access to it')
  })
})

it('says once that a key was already rotated', async () => {
  const { id } = JSON.parse((await svc('keys', 'create', '--org', acme, '--json')).stdout)
  expect((await svc('keys', 'rotate', id)).status).toBe(0)
  const { stderr } = await svc('keys', 'rotate', id)
  expect(stderr).toContain(`${id} was already rotated`)
  expect(stderr.split(id)).toHaveLength(2)
})

describe('a new management key', () => {
  it.each([
    [{}, /http:\/\/127\.0\.0\.1:8123\/scim\/v2/],
    [{ PUBLIC_URL: 'https://svc.example.com/' }, /https:\/\/svc\.example\.com\/scim\/v2/],
  ])('is shown with the address that the identity provider needs: %j', async (env, address) => {
    const all = { ...testDatabase.environment, PORT: '8123', ...env }
    const { stdout } = await runInProcess(['keys', 'create', '--org', acme, '--kind', 'mk'], { env: all })
    expect(stdout).toMatch(address)
    expect((await runInProcess(['keys', 'create', '--org', acme], { env: all })).stdout).not.toContain('scim')
  })
})
