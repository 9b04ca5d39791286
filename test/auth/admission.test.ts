import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { AccessRuleSchema, Callers, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import type { UsableRule } from '../../src/admission/access-rule.js'
import { type Admissible, type AdmissionOptions, authorize, createAdmission } from '../../src/admission/admission.js'
import { bearerTokenFrom, insufficientScope } from '../../src/admission/bearer.js'
import {
  type Caller,
  type CallerKind,
  keyPermissions,
  type Permission,
  permissions,
} from '../../src/domain/caller/caller.js'

const method = AuthService.method.revokeLeakedKey
const rule: UsableRule = {
  ...create(AccessRuleSchema, {
    credentialKinds: [CredentialKind.ORGANIZATION_API_KEY, CredentialKind.USER_TOKEN],
  }),
  permission: 'apps:read',
}
const callerOf = (kind: CallerKind, ...permissions: readonly Permission[]): Caller => ({
  kind,
  id: 'id',
  name: 'name',
  organizationId: 'acme',
  reach: { scope: 'organization', permissions: new Set(permissions) },
})
const advice = 'send Authorization: Bearer <token>, with the token of an API key or of a user'
const invalid = { reason: 'CREDENTIAL_INVALID', challenge: 'Bearer realm="svc", error="invalid_token"' }

/** What was thrown, without what every error has. */
function refusalOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe('the token of an Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  a.b_c~d+e/f-9==  ', 'a.b_c~d+e/f-9=='],
    ['BEARER A', 'A'],
  ])('of %j is %j', (authorization, token) => {
    expect(bearerTokenFrom(authorization)).toBe(token)
  })

  it.each([
    [undefined, advice],
    ['', advice],
    ['  ', advice],
    ['Bearers abc', advice],
    ['Token abc', advice],
    ['x Bearer abc', advice],
    ['Token Basic', advice],
    ['Token svc_token_a', advice],
    ['Basic YTpi', `only POST /v2/auth/token accepts Basic; ${advice}`],
    ['basic YTpi', `only POST /v2/auth/token accepts Basic; ${advice}`],
    ['Basics YTpi', advice],
    ['svc_token_a', 'the word Bearer is missing before the token'],
  ])('is missing in %j', (authorization, said) => {
    expect(refusalOf(() => bearerTokenFrom(authorization))).toMatchObject({
      reason: 'CREDENTIAL_MISSING',
      message: `a bearer credential is required: ${said}`,
      challenge: 'Bearer realm="svc"',
    })
  })

  it.each([
    ['Bearer', `the token is empty: ${advice}`],
    ['Bearer ', `the token is empty: ${advice}`],
    ['Bearer a b', 'the token contains a space: send Authorization: Bearer <token>'],
    ['Bearer \n a\nb', 'the token contains a space: send Authorization: Bearer <token>'],
    ['Bearer undefined!', 'this is not a token of this service: '],
    ['Bearer\tundefined', 'the variable that holds the token is not set: '],
    ['Bearer\ta.b.c', 'a space belongs between Bearer and the token: send Authorization: Bearer <token>'],
    ['Bearer: a.b.c', 'the word Bearer stands before the token once, without a colon: '],
    ['Bearer Bearer a.b.c', 'the word Bearer stands before the token once, without a colon: '],
    ['Bearer "a.b.c"', 'the token is in quotation marks: '],
    ["Bearer 'a.b.c'", 'the token is in quotation marks: '],
    ['Bearer =a', 'this is not a token of this service: '],
    ['Bearer a=b', 'this is not a token of this service: '],
  ])('is not valid in %j', (authorization, said) => {
    const message = expect.stringContaining(said)
    expect(refusalOf(() => bearerTokenFrom(authorization))).toMatchObject({ ...invalid, message })
  })

  it('that lacks a permission is refused with its name', () => {
    expect(insufficientScope('apps:read')).toBe('Bearer realm="svc", error="insufficient_scope", scope="apps:read"')
  })
})

describe('a caller', () => {
  const refusal = (caller: Caller, access: Partial<UsableRule> = {}) =>
    refusalOf(() => authorize(caller, { ...rule, ...access }))
  const accepted = 'it accepts organization API keys, user tokens'

  it.each([
    ['TEAM_API_KEY', 'team API keys'],
    ['WORKER_TOKEN', 'worker tokens'],
  ] as const)('of the kind %s is refused by a method that does not accept it', (kind, words) => {
    expect(refusal(callerOf(kind, 'apps:read'))).toMatchObject({
      reason: 'CREDENTIAL_KIND_UNSUPPORTED',
      message: `this method does not accept ${words}: ${accepted}`,
    })
  })

  it('names every kind that the method accepts', () => {
    const credentialKinds = [CredentialKind.TEAM_API_KEY, CredentialKind.WORKER_TOKEN]
    const message = 'this method does not accept user tokens: it accepts team API keys, worker tokens'
    expect(refusal(callerOf('USER_TOKEN', 'apps:read'), { credentialKinds })).toMatchObject({ message })
  })

  it.each<[name: string, caller: Caller, access: Partial<UsableRule>, missing: boolean]>([
    ['has the permission', callerOf('USER_TOKEN', 'apps:read'), {}, false],
    ['lacks it', callerOf('USER_TOKEN'), {}, true],
    ['needs no permission', callerOf('USER_TOKEN'), { permission: '' }, false],
    ['is a user whom the request may admit', callerOf('USER_TOKEN'), { userRelationSuffices: true }, false],
    ['is a key, which no request admits', callerOf('ORGANIZATION_API_KEY'), { userRelationSuffices: true }, true],
  ])('that %s is refused only if the permission is missing', (_, caller, access, missing) => {
    expect(refusal(caller, access)).toEqual(
      missing
        ? expect.objectContaining({ reason: 'PERMISSION_MISSING', metadata: { permission: 'apps:read' } })
        : undefined,
    )
  })

  it.each<[name: string, caller: Caller, refused: boolean]>([
    ['is an administrator', callerOf('USER_TOKEN', ...permissions), false],
    ['is an organization key with all that a key can have', callerOf('ORGANIZATION_API_KEY', ...keyPermissions), false],
    ['is a worker with every permission', callerOf('WORKER_TOKEN', ...permissions), true],
    ['lacks a permission', callerOf('ORGANIZATION_API_KEY', ...keyPermissions.slice(1)), true],
    [
      'has every permission in a team only',
      { ...callerOf('USER_TOKEN'), reach: { scope: 'teams', teams: new Map([['it', new Set(permissions)]]) } },
      true,
    ],
  ])('that %s is refused where only administrators are accepted, unless it is one', (_, caller, refused) => {
    const credentialKinds = [CredentialKind[caller.kind]]
    const said = refusal(caller, { credentialKinds, permission: '', callers: Callers.ADMINISTRATORS })
    const expected = { reason: 'PERMISSION_MISSING', metadata: { permission: 'USER_ROLE_ORG_ADMIN' } }
    expect(said).toEqual(refused ? expect.objectContaining(expected) : undefined)
  })
})

describe('admission', () => {
  const request: Admissible = { requestId: 'r', authorization: 'Bearer abc' }
  const admit = (
    holder: Awaited<ReturnType<AdmissionOptions['authenticate']>>,
    { access = rule, ...changes }: Partial<Admissible> & { access?: UsableRule } = {},
    options: Pick<AdmissionOptions, 'takesJwt'> = {},
  ) => {
    const asked: unknown[] = []
    const authenticate: AdmissionOptions['authenticate'] = async (...question) => {
      asked.push(question)
      return holder
    }
    const admission = createAdmission({ access: new Map([[method, access]]), authenticate, ...options })
    return { asked, admitted: admission(method, { ...request, ...changes }) }
  }

  it('returns the caller, whose id it has reported', async () => {
    const caller = callerOf('USER_TOKEN', 'apps:read')
    const recorded: string[] = []
    const onCaller = (id: string) => void recorded.push(id)
    const { asked, admitted } = admit(caller, { onCaller })
    expect([await admitted, recorded, asked]).toEqual([caller, [caller.id], [['abc', { ...request, onCaller }]]])
  })

  it('does not look at the credential if none is required', async () => {
    const { asked, admitted } = admit(undefined, { access: { ...rule, anonymous: true } })
    expect(await admitted).toBeUndefined()
    expect(asked).toEqual([])
  })

  const jwt = `Bearer ${'a'.repeat(9)}.${'b'.repeat(9)}.c`
  it.each([
    ['an unknown token', {}, {}, 'this is not a token of this service: '],
    ['a JWT where none is accepted', { authorization: jwt }, {}, 'this service does not accept JWTs: '],
    ['an encrypted JWT', { authorization: 'Bearer eyJh..b.c.d' }, { takesJwt: true }, 'this is an encrypted token, '],
    ['an encrypted JWT', { authorization: 'Bearer eyJh..b.c.d' }, {}, 'this is not a token of this service: '],
    ['an unknown JWT', { authorization: jwt }, { takesJwt: true }, 'the bearer credential is invalid: get a new one'],
  ])('refuses %s', async (_, changes, options, said) => {
    const message = expect.stringContaining(said)
    await expect(admit(undefined, changes, options).admitted).rejects.toMatchObject({ ...invalid, message })
  })

  it('refuses an expired token, and says that it expired', async () => {
    const message = 'the token has expired: get a new one'
    await expect(admit('expired').admitted).rejects.toMatchObject({ ...invalid, message })
  })

  it('refuses a caller who lacks the permission', async () => {
    await expect(admit(callerOf('USER_TOKEN')).admitted).rejects.toMatchObject({ reason: 'PERMISSION_MISSING' })
  })

  it('serves no method without an access rule', async () => {
    const admission = createAdmission({
      access: new Map(),
      authenticate: async () => callerOf('USER_TOKEN', 'apps:read'),
    })
    await expect(admission(method, request)).rejects.toThrow('svc.v2.AuthService.RevokeLeakedKey is served without')
  })
})
