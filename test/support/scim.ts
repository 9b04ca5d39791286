import { expect } from '@jest/globals'
import { fixture, type InsertedApiKey, insertApiKey } from './fixture.js'
import { assertScimContract } from './scim-contract.js'
import type { TestService } from './service.js'

/** A SCIM response. */
export interface ScimTestAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

/** An identity provider connected to an organization. */
export interface ScimClient {
  readonly key: InsertedApiKey
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ScimTestAnswer>
  /** Sends a PATCH with operations. */
  patch(path: string, ...operations: readonly object[]): Promise<ScimTestAnswer>
  /** Adds a user and returns its resource. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  add(user: object): Promise<any>
}

/** The URN of the schema of users. */
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
/** The URN of the schema of groups. */
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
/** The URN of the enterprise extension. */
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
/** The URN of the extension with the owners of a user's fields. */
export const OWNERSHIP = 'urn:svc:params:scim:schemas:extension:ownership:2.0:User'

/** Connects an identity provider. */
export async function connectDirectory(
  service: Pick<TestService, 'baseUrl' | 'database'>,
  organizationId: string = fixture.acme,
): Promise<ScimClient> {
  const key = await insertApiKey(service.database, { organizationId, kind: 'mk' })
  const send: ScimClient['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${service.baseUrl}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key.secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (text !== '') expect(response.headers.get('content-type')).toBe('application/scim+json')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    assertScimContract({ method, path, ...answer })
    return answer
  }
  return {
    key,
    send,
    patch: (path, ...Operations) =>
      send('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
    add: async (user) => {
      const { status, body } = await send('POST', '/Users', { schemas: [USER, ENTERPRISE], ...user })
      expect([status, body]).toEqual([201, expect.anything()])
      return body
    },
  }
}

/** The owner of each field that does not belong to automation, by its attribute. */
export function ownersOf(user: {
  readonly [OWNERSHIP]: { readonly fieldOwnership: readonly Record<string, string>[] }
}) {
  return Object.fromEntries(
    user[OWNERSHIP].fieldOwnership.flatMap(({ attribute = '', owner }) =>
      owner === 'FIELD_OWNER_AUTOMATION' ? [] : [[attribute.replace(`${ENTERPRISE}:`, ''), owner]],
    ),
  )
}
