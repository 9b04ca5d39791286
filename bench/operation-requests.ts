import type { Tokens } from '../harness/database.js'
import { journeyId, place } from '../harness/records.js'
import { SERIAL, SERIAL_PARTS } from './serial.js'

/** One of the REST operations with requests to send in turns. */
export interface Operation {
  readonly name: string
  readonly requests: readonly string[]
  /** Default: those of a comparison. */
  readonly connections?: number
  /** The requests that are sent, one to each server, to compare what they answer. Default: the first for all. */
  readonly checked?: readonly string[]
  /** Sent before each of those, so that the servers find the same. */
  readonly before?: string
}

/** An operation that the hand-written peer has, too. */
export interface HandWrittenOperation extends Operation {
  /** The least share of the peer's throughput. */
  readonly target: number
  readonly maxStallMillis?: number
}

/** Whose bearer token a request has, and the body. */
export interface Sent {
  readonly token?: string
  readonly json?: unknown
  readonly form?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A whole request of HTTP/1.1. */
export function requestText(line: string, { token, json, form, headers = {} }: Sent): string {
  const body = json === undefined ? (form ?? '') : JSON.stringify(json)
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const sent = {
    host: 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
    ...(body !== '' && { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** With more calls of this size at a time, those that wait for a connection to the database are refused. */
const LARGE = 8

/** The four operations that the hand-written peer has. */
export function operations({ key, user }: Pick<Tokens, 'key' | 'user'>): HandWrittenOperation[] {
  const entry = (index: number) => ({
    id: `resource-${index}`,
    resourceType: 'group',
    name: `Renamed ${index}`,
    description: 'Another group',
    externalId: `external-${index}`,
    scopedId: `ares_${index}`,
  })
  return [
    {
      name: 'GET /v2/journeys/{id}',
      requests: range(200).map((index) => requestText(`GET /v2/journeys/${journeyId(index)}`, { token: key })),
      target: 1,
    },
    {
      name: 'PATCH /v2/priorities/{id}',
      requests: range(1000).map((index) => {
        const json = { name: `Renamed ${index}`, description: 'How urgent it is now', isAiSelectable: index % 3 === 0 }
        return requestText(`PATCH /v2/priorities/priority-${index}`, { token: user, json })
      }),
      target: 1,
    },
    {
      name: 'GET /v2/app-instances, 10,000',
      requests: [requestText(`GET /v2/app-instances?teamId=${place.team}`, { token: key })],
      connections: LARGE,
      target: 2,
      maxStallMillis: 20,
    },
    {
      name: 'PUT /v2/app-resources/batch, 500',
      requests: range(8).map((batch) => {
        const resources = range(500).map((index) => entry(batch * 500 + index))
        return requestText('PUT /v2/app-resources/batch', { token: key, json: { resources } })
      }),
      connections: LARGE,
      target: 0.75,
    },
  ]
}

/** The other nine. */
export function otherOperations({ key, leaked, unknown }: Tokens): Operation[] {
  const get = (name: string, path: string): Operation => ({
    name: `GET ${name}`,
    requests: [requestText(`GET ${path}`, { token: key })],
  })
  const assign = (index: number, manager: number) =>
    requestText('POST /v2/user-relationships', {
      token: key,
      json: { userId: `user-${index}`, relatedUserId: `user-${manager}` },
    })
  const clear = (index: number) => requestText(`DELETE /v2/user-relationships/user-${index}`, { token: key })
  const members = range(500).map((index) => 100 + index)
  return [
    {
      name: 'POST /v2/auth/revoke',
      requests: [revokeRequest(unknown)],
      // The answer waits for a time grid of 50 ms: with few connections, all would wait for that.
      connections: 128,
      checked: leaked.map(revokeRequest),
    },
    {
      name: 'POST /v2/access-policies/{access_policy_id}/approval-procedures',
      requests: range(20).map((index) =>
        requestText(`POST /v2/access-policies/policy-${index}/approval-procedures`, {
          token: key,
          json: procedure(index),
        }),
      ),
    },
    get('/v2/entity-ingestion-configs, 50', `/v2/entity-ingestion-configs?teamId=${place.team}`),
    get('/v2/entity-field-mappings, 500', '/v2/entity-field-mappings?entityTypeId=type-0'),
    get('/v2/teams/{team_id}/sla-definitions, 50', `/v2/teams/${place.team}/sla-definitions`),
    {
      name: 'PUT /v2/users/{id}',
      requests: members.map((index) => {
        const json = { jobTitle: `Title ${SERIAL}`, department: `Department ${index % 40}`, locale: 'en-GB' }
        return requestText(`PUT /v2/users/user-${index}`, { token: key, json })
      }),
      before: requestText('PUT /v2/users/user-100', { token: key, json: { locale: 'en-US' } }),
    },
    {
      name: 'POST /v2/users',
      requests: [requestText('POST /v2/users', { token: key, json: newUser() })],
    },
    {
      name: 'POST /v2/user-relationships',
      requests: [...members.map((index) => assign(index, index % 50)), ...members.map((index) => assign(index, 50))],
      before: clear(100),
    },
    {
      name: 'DELETE /v2/user-relationships/{user_id}, each after a POST',
      requests: members.flatMap((index) => [assign(index, index % 50), clear(index)]),
      checked: [clear(100)],
      before: assign(100, 1),
    },
  ]
}

/** The Get and List of a resource with standard methods. */
export function standardOperations({ key: token }: Pick<Tokens, 'key'>): Operation[] {
  const list = `GET /v2/priorities?teamId=${place.team}&pageSize=1000`
  return [
    {
      name: 'GET /v2/priorities/{id}',
      requests: range(1000).map((index) => requestText(`GET /v2/priorities/priority-${index}`, { token })),
    },
    { name: 'GET /v2/priorities, 1,000', requests: [requestText(list, { token })] },
  ]
}

function revokeRequest(secret: string): string {
  const headers = { 'x-forwarded-for': `2001:db8:${SERIAL_PARTS.join(':')}::1` }
  return requestText('POST /v2/auth/revoke', { headers, form: `secret=${secret}` })
}

function procedure(index: number) {
  const person = { user: { userId: `user-${index}` }, notify: true }
  return {
    stages: [
      { steps: [{ approvers: [{ manager: {} }, person], approverJustificationMode: 'REQUIRED' }] },
      {
        steps: [{ approvers: [{ appOwner: {} }], allowSelfApproval: false }, { customWorkflow: { workflowId: 'w-1' } }],
      },
    ],
    timeoutSeconds: 3_600,
  }
}

function newUser() {
  return {
    email: `new-${SERIAL}@example.com`,
    firstName: 'New',
    lastName: `Person ${SERIAL}`,
    jobTitle: 'Analyst',
    department: 'Department 1',
    locale: 'en-GB',
    timezone: 'Europe/Paris',
    pinFields: ['USER_PROFILE_FIELD_FIRST_NAME'],
  }
}
