import type { JsonObject } from '@bufbuild/protobuf'
import type { OperationAnswers } from './example-answers.js'

interface ErrorStatus {
  readonly description: string
  /** The Connect codes that come with the status; none if the body is not the usual one. */
  readonly codes: readonly string[]
  readonly schema: string
  readonly headers?: JsonObject
}

/** The header that names the credential to send. */
export const challenge = { description: 'The challenge (RFC 9110, RFC 6750).', schema: { type: 'string' } }

/** The header that says when to retry. */
export const retryAfter = {
  description: 'How many seconds to wait before retrying.',
  schema: { type: 'integer', minimum: 1 },
}

/** The errors of operations by status; docs/errors.md maps codes to statuses. */
const errorStatuses: Readonly<Record<string, ErrorStatus>> = {
  '400': {
    description: 'The request is malformed or invalid; `reason` in the detail says why.',
    codes: ['invalid_argument', 'failed_precondition', 'out_of_range'],
    schema: 'Error400',
  },
  '401': {
    description: 'The credential is missing or invalid.',
    codes: ['unauthenticated'],
    schema: 'Error401',
    headers: { 'WWW-Authenticate': { ...challenge, required: true } },
  },
  '403': {
    description: 'The operation does not accept this kind of credential, or the credential lacks the permission.',
    codes: ['permission_denied'],
    schema: 'Error403',
    headers: { 'WWW-Authenticate': challenge },
  },
  '404': {
    description: 'The resource does not exist or is hidden from the caller.',
    codes: ['not_found'],
    schema: 'Error404',
  },
  '409': {
    description: 'Another object already has the value, or the call conflicted with concurrent writes.',
    codes: ['already_exists', 'aborted'],
    schema: 'Error409',
  },
  '413': { description: 'The body is too large.', codes: ['resource_exhausted'], schema: 'Error413' },
  '415': {
    description: 'The content type or content coding of the body is not supported.',
    codes: ['invalid_argument'],
    schema: 'Error415',
  },
  '429': {
    description: 'More than 5 requests in 60 seconds from one client address.',
    codes: [],
    schema: 'SlowDown',
    headers: { 'Retry-After': { ...retryAfter, required: true } },
  },
  '503': {
    description: 'The service is temporarily unavailable; retry after a short delay.',
    codes: ['unavailable'],
    schema: 'Error503',
    headers: { 'Retry-After': retryAfter },
  },
}

/** The schemas of the errors of each status, by name: the usual body with the codes of the status. */
export function errorStatusSchemas(): JsonObject {
  const usual = Object.values(errorStatuses).filter(({ codes }) => codes.length > 0)
  return Object.fromEntries(
    usual.map(({ schema, description, codes }) => {
      const code = { description: 'The kind of failure.', enum: [...codes] }
      return [schema, { description, allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code } }] }]
    }),
  )
}

/** The response for failures that are not specific to an operation. */
export function otherErrors(answers: OperationAnswers | undefined): JsonObject {
  const examples = Object.values(answers?.errors ?? {}).flatMap((byReason) => Object.entries(byReason))
  return {
    description: 'Any other failure; see the code.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples.map(([reason, value]) => [reason, { value }])),
      },
    },
  }
}

/** The error responses of one operation, as recorded from the service; the default covers all others. */
export function errorResponses(
  answers: OperationAnswers | undefined,
  shared: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byReason]) => {
    const known = errorStatuses[status]
    if (known === undefined) throw new Error(`the documents have no response for errors with status ${status}`)
    const examples = Object.entries(byReason).map(([reason, value]) => [
      reason,
      JSON.stringify(shared.get(reason)) === JSON.stringify(value)
        ? { $ref: `#/components/examples/${reason}` }
        : { value },
    ])
    const media = { schema: { $ref: `#/components/schemas/${known.schema}` }, examples: Object.fromEntries(examples) }
    const { description, headers } = known
    return [
      status,
      { description, ...(headers === undefined ? {} : { headers }), content: { 'application/json': media } },
    ]
  })
  return { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } }
}
