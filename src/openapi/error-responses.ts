import { create, type JsonObject, toBinary } from '@bufbuild/protobuf'
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'

interface ErrorResponse {
  readonly description: string
  /** The Connect codes that come with the status; the first one is that of the example. */
  readonly codes: readonly [string, ...string[]]
  /** The reason and the message of the example. */
  readonly example?: { readonly reason: string; readonly message: string }
  readonly headers?: JsonObject
}

const challenge = { description: 'The challenge (RFC 9110, RFC 6750).', schema: { type: 'string' } }

const retryAfter = {
  'Retry-After': {
    description: 'After how many whole seconds to come back.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

/** The error answers of operations by status, as decisions, section 2, maps codes to statuses. */
const errorResponses: Readonly<Record<string, ErrorResponse>> = {
  '400': {
    description: 'The request cannot be read, or breaks a rule; `reason` in the detail says which.',
    codes: ['invalid_argument', 'failed_precondition', 'out_of_range'],
    example: { reason: 'PAGE_TOKEN_INVALID', message: 'pageToken: was changed or belongs to another query' },
  },
  '401': {
    description: 'The credential is missing or not accepted.',
    codes: ['unauthenticated'],
    example: { reason: 'CREDENTIAL_INVALID', message: 'the bearer credential is not valid' },
    headers: { 'WWW-Authenticate': { ...challenge, required: true } },
  },
  '403': {
    description: 'The credential is of a kind that the operation does not take, or lacks the permission.',
    codes: ['permission_denied'],
    example: { reason: 'CREDENTIAL_KIND_UNSUPPORTED', message: 'this method does not take organization API keys' },
    headers: { 'WWW-Authenticate': challenge },
  },
  '404': {
    description: 'What the request names does not exist or is hidden from the caller.',
    codes: ['not_found'],
    example: { reason: 'RESOURCE_NOT_FOUND', message: 'priority not found' },
  },
  '409': {
    description: 'Something else has the value already, or other writes got in the way.',
    codes: ['already_exists', 'aborted'],
    example: { reason: 'PHONE_TAKEN', message: 'another member of the organization has the phone number' },
  },
  '413': {
    description: 'The body is too large.',
    codes: ['resource_exhausted'],
    example: { reason: 'BODY_TOO_LARGE', message: 'the body is larger than 4194304 bytes' },
  },
  '415': {
    description: 'The body is of a type that is not taken here.',
    codes: ['invalid_argument'],
    example: {
      reason: 'MEDIA_TYPE_UNSUPPORTED',
      message: 'content-type text/plain is not taken here: application/json',
    },
  },
  '503': {
    description: 'The service cannot answer now; try again after a short delay.',
    codes: ['unavailable'],
    example: { reason: 'SERVICE_UNAVAILABLE', message: 'the service is unavailable; try again' },
  },
}

/** The components of error answers, by name. */
export function errorResponseComponents(): JsonObject {
  const named = Object.entries(errorResponses).map(([status, response]) => [`Error${status}`, errorResponse(response)])
  return {
    ...Object.fromEntries(named),
    Error: {
      description: 'Any other failure; the code says which.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
    SlowDown: {
      description: 'More than 5 requests in 60 seconds from one address.',
      headers: retryAfter,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/SlowDown' } } },
    },
  }
}

function errorResponse({ description, codes, example, headers }: ErrorResponse): JsonObject {
  const allOf = [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: [...codes] } } }]
  const body = example === undefined ? {} : { example: errorExample(codes[0], example.reason, example.message) }
  return {
    description,
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/json': { schema: { allOf }, ...body } },
  }
}

function errorExample(code: string, name: string, message: string): JsonObject {
  const debug = { reason: `ERROR_REASON_${name}`, domain: 'svc.v2' }
  const bytes = toBinary(ErrorInfoSchema, create(ErrorInfoSchema, debug))
  const value = Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return { code, message, detail: { type: ErrorInfoSchema.typeName, value, debug } }
}

/** What decides which error answers an operation has. */
export interface ErrorCases {
  readonly anonymous: boolean
  readonly hasBody: boolean
  readonly namesResource: boolean
  readonly writes: boolean
  readonly checksClient: boolean
  readonly rateLimited: boolean
}

/** The error answers of one operation, by status; every other one is the default. */
export function errorResponseRefs(cases: ErrorCases): JsonObject {
  const statuses = [
    '400',
    ...(cases.anonymous && !cases.checksClient ? [] : ['401']),
    ...(cases.anonymous ? [] : ['403']),
    ...(cases.namesResource ? ['404'] : []),
    ...(cases.writes && !cases.anonymous ? ['409'] : []),
    ...(cases.hasBody ? ['413', '415'] : []),
    '503',
  ]
  return {
    ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    ...(cases.rateLimited ? { '429': { $ref: '#/components/responses/SlowDown' } } : {}),
    default: { $ref: '#/components/responses/Error' },
  }
}
