import type { JsonObject } from '@bufbuild/protobuf'

interface ErrorResponse {
  readonly description: string
  /** The Connect codes that come with the status. */
  readonly codes: readonly string[]
  readonly headers?: JsonObject
}

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
  },
  '401': {
    description: 'The credential is missing or not accepted.',
    codes: ['unauthenticated'],
    headers: {
      'WWW-Authenticate': { description: 'The challenge (RFC 9110).', required: true, schema: { type: 'string' } },
    },
  },
  '403': {
    description: 'The credential is of a kind that the operation does not take, or lacks the permission.',
    codes: ['permission_denied'],
  },
  '404': {
    description: 'What the request names does not exist or is hidden from the caller.',
    codes: ['not_found'],
  },
  '409': {
    description: 'Something else has the value already, or other writes got in the way.',
    codes: ['already_exists', 'aborted'],
  },
  '413': { description: 'The body is too large.', codes: ['resource_exhausted'] },
  '415': { description: 'The body is of a type that is not taken here.', codes: ['invalid_argument'] },
  '503': {
    description: 'The service cannot answer now; try again after a short delay.',
    codes: ['unavailable'],
  },
}

/** The components of error answers, by name. */
export function errorResponseComponents(): JsonObject {
  const named = Object.entries(errorResponses).map(([status, response]) => [
    `Error${status}`,
    errorResponse(response.description, response.codes, response.headers),
  ])
  return {
    ...Object.fromEntries(named),
    Error: errorResponse('Any other failure; the code says which.', undefined),
    SlowDown: {
      description: 'More than 5 requests in 60 seconds from one address.',
      headers: retryAfter,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/SlowDown' } } },
    },
  }
}

function errorResponse(description: string, codes: readonly string[] | undefined, headers?: JsonObject): JsonObject {
  const error = { $ref: '#/components/schemas/Error' }
  const schema = codes === undefined ? error : { allOf: [error, { properties: { code: { enum: [...codes] } } }] }
  return {
    description,
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/json': { schema } },
  }
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

/** The schemas of error bodies, by name. */
export const errorSchemas: JsonObject = {
  Error: {
    type: 'object',
    description: 'Why a call failed.',
    required: ['code', 'message'],
    properties: {
      code: {
        type: 'string',
        description: 'The kind of failure.',
        enum: [
          ...['canceled', 'unknown', 'invalid_argument', 'deadline_exceeded', 'not_found', 'already_exists'],
          ...['permission_denied', 'resource_exhausted', 'failed_precondition', 'aborted', 'out_of_range'],
          ...['unimplemented', 'internal', 'unavailable', 'data_loss', 'unauthenticated'],
        ],
      },
      message: { type: 'string', description: 'For developers, in English. Branch on `code` and `reason` instead.' },
      detail: { $ref: '#/components/schemas/ErrorDetail', description: 'Absent where there is nothing to add.' },
    },
  },
  ErrorDetail: {
    type: 'object',
    description: 'What is known of the failure, as a protobuf message.',
    required: ['type', 'value'],
    properties: {
      type: {
        type: 'string',
        description: 'The name of the message: `google.rpc.ErrorInfo` or `google.rpc.BadRequest`.',
      },
      value: {
        type: 'string',
        contentEncoding: 'base64',
        description: 'The message in binary form, base64 without padding.',
      },
      debug: {
        description: 'The same message as JSON.',
        anyOf: [
          { $ref: '#/components/schemas/ErrorInfo' },
          { $ref: '#/components/schemas/BadRequest' },
          { type: 'object', description: 'Another message.' },
        ],
      },
    },
    additionalProperties: true,
  },
  ErrorInfo: {
    type: 'object',
    description: 'The reason of a failure, for programs (google.rpc.ErrorInfo).',
    required: ['reason', 'domain'],
    properties: {
      reason: { $ref: '#/components/schemas/ErrorReason', description: 'The reason.' },
      domain: { type: 'string', const: 'svc.v2', description: 'Whose reasons they are.' },
      metadata: {
        type: 'object',
        description: 'Facts, such as the id of a resource.',
        additionalProperties: { type: 'string' },
      },
    },
  },
  BadRequest: {
    type: 'object',
    description: 'What is wrong with which field (google.rpc.BadRequest).',
    required: ['fieldViolations'],
    properties: {
      fieldViolations: {
        type: 'array',
        description: 'One entry per fault.',
        items: {
          type: 'object',
          required: ['field', 'description'],
          properties: {
            field: { type: 'string', description: 'The field as the request spells it, such as `resources[3].name`.' },
            description: { type: 'string', description: 'What is wrong, in English.' },
            reason: { $ref: '#/components/schemas/ErrorReason', description: 'Why, for programs.' },
          },
        },
      },
    },
  },
  SlowDown: {
    type: 'object',
    description: 'The answer to a client address that asks too often.',
    required: ['error', 'error_description'],
    properties: {
      error: { type: 'string', const: 'slow_down', description: 'Always `slow_down`.' },
      error_description: { type: 'string', description: 'For developers, in English.' },
    },
  },
}
