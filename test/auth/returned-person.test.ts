import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { importJWK, SignJWT } from 'jose'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'
import { importLines, line } from '../transfer/transfer-text.js'

const { acme, users } = fixture
const audience = 'https://svc.example.com'

describe('a JWT from before a deactivation', () => {
  let service: TestService
  let issuer: OidcIssuer
  let directory: ScimClient
  let admin: string
  let key: string
  let serial = 0

  beforeAll(async () => {
    issuer = await startOidcIssuer()
    const claims = { emailClaim: 'email', emailVerifiedClaim: 'email_verified', organization: undefined }
    service = await startTestService({ config: { oidc: { issuer: issuer.url, audience, ...claims } } })
    await insertFixture(service.database)
    directory = await connectDirectory(service)
    admin = await insertUserToken(service.database, { userId: users.admin })
    key = (await insertApiKey(service.database, { organizationId: acme })).token
  })
  afterAll(async () => {
    await service.stop()
    await issuer.stop()
  })

  interface Person {
    readonly id: string
    readonly email: string
    /** A record of the person for an import. */
    readonly record: (fields?: object) => string
  }
  const newPerson = async (): Promise<Person> => {
    serial += 1
    const email = `returned.${serial}@example.com`
    const { id } = await directory.add({ userName: email })
    const record = (fields: object = {}) => line('user', { id, organizationId: acme, email, ...fields })
    return { id, email, record }
  }
  const issuedAt = async ({ email }: Person, iat: number) => {
    const [jwk] = issuer.keys
    if (jwk === undefined) throw new Error('the issuer has no key')
    return new SignJWT({ iss: issuer.url, aud: audience, email, email_verified: true, iat, exp: iat + 600 })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(await importJWK(jwk, 'RS256'))
  }
  const statusOf = async (token: string) => (await service.rest('GET', '/v2/caller', { token })).status
  const now = () => Math.floor(Date.now() / 1000)
  const imported = async (...lines: string[]) => {
    await importLines(service.database, lines, { isForced: true })
  }
  const released = ({ id }: Person) =>
    service.database.execute('UPDATE memberships SET directory_managed = false WHERE user_id = $1', [id])
  const posted = async ({ id }: Person, verb: string, token = key) => {
    const answer = await service.rest('POST', `/v2/users/${id}:${verb}`, { json: {}, token })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
  }
  const importedByCall = async (...lines: string[]) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await service.rest('POST', '/v2/imports', { body: lines.join('\n'), headers, token: admin })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
  }
  const gone = { deactivatedAt: '2026-01-02T03:04:05.000Z' }
  const patched = async ({ id }: Person, active: boolean) => {
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: active })
  }

  /** As a build does that records no end of sessions. */
  const leftUnrecorded = async ({ id }: Person) => {
    await service.database.execute('UPDATE memberships SET deactivated_at = now() WHERE user_id = $1', [id])
  }

  const ways: readonly (readonly [
    way: string,
    leave: (person: Person) => Promise<void>,
    comeBack: (person: Person) => Promise<void>,
  ])[] = [
    ['the API', (person) => posted(person, 'deactivate'), (person) => posted(person, 'reactivate')],
    ["a directory's PATCH", (person) => patched(person, false), (person) => patched(person, true)],
    [
      "a directory's DELETE and POST",
      async ({ id }) => void (await directory.send('DELETE', `/Users/${id}`)),
      async ({ email }) => void (await directory.add({ userName: email })),
    ],
    ['an import', ({ record }) => imported(record(gone)), ({ record }) => imported(record())],
    ['an import over the API', ({ record }) => importedByCall(record(gone)), (person) => posted(person, 'reactivate')],
    [
      'an import, and the return by the API',
      ({ record }) => imported(record(gone)),
      (person) => posted(person, 'reactivate'),
    ],
    [
      'the API, and the return by an import',
      (person) => posted(person, 'deactivate'),
      ({ record }) => imported(record()),
    ],
    [
      'a build that recorded no end of sessions, and the return by the API',
      leftUnrecorded,
      (person) => posted(person, 'reactivate'),
    ],
    [
      'a build that recorded no end of sessions, and the return by an import',
      leftUnrecorded,
      ({ record }) => imported(record()),
    ],
  ]
  it.each(ways)('stays refused when the person returns, by %s', async (way, leave, comeBack) => {
    const person = await newPerson()
    const [before, after] = [await issuedAt(person, now() - 60), await issuedAt(person, now() + 20)]
    if (!way.startsWith('a directory')) await released(person)
    expect(await statusOf(before)).toBe(200)
    await leave(person)
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 401])
    await comeBack(person)
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200])
  })

  it('stays refused after a second deactivation, and for somebody imported as deactivated', async () => {
    const person = await newPerson()
    await released(person)
    const before = await issuedAt(person, now() - 60)
    for (const verb of ['deactivate', 'reactivate', 'deactivate', 'reactivate']) await posted(person, verb)
    expect(await statusOf(before)).toBe(401)
    const id = `imported-${serial}`
    const newcomer = { ...person, id, email: `${id}@example.com` }
    await imported(line('user', { id, organizationId: acme, email: newcomer.email, ...gone }))
    await posted(newcomer, 'reactivate')
    expect(await statusOf(await issuedAt(newcomer, now() - 60))).toBe(401)
  })

  it('stays refused if the sessions were ended, whatever an import then says of the person', async () => {
    const person = await newPerson()
    await released(person)
    const before = await issuedAt(person, now() - 60)
    await posted(person, 'endSessions')
    await imported(person.record({ firstName: 'Ada' }))
    expect(await statusOf(before)).toBe(401)
  })
})
