import type { JsonObject } from '@bufbuild/protobuf'

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
          'canceled',
          'unknown',
          'invalid_argument',
          'deadline_exceeded',
          'not_found',
          'already_exists',
          'permission_denied',
          'resource_exhausted',
          'failed_precondition',
          'aborted',
          'out_of_range',
          'unimplemented',
          'internal',
          'unavailable',
          'data_loss',
          'unauthenticated',
        ],
      },
      message: { type: 'string', description: 'For developers, in English. Branch on `code` and `reason` instead.' },
      detail: { $ref: '#/components/schemas/ErrorDetail', description: 'Absent if there is nothing to add.' },
      error: {
        type: 'string',
        description: 'The error code of RFC 6749, section 5.2; only from the token endpoint.',
        enum: ['invalid_client', 'invalid_request', 'unsupported_grant_type'],
      },
      error_description: {
        type: 'string',
        description: 'The message, in the characters that RFC 6749 allows; accompanies `error`.',
      },
    },
  },
  ErrorDetail: {
    type: 'object',
    description: 'Details of the failure, as a protobuf message.',
    required: ['type', 'value'],
    properties: {
      type: {
        type: 'string',
        description:
          'The name of the message: `google.rpc.ErrorInfo`, `google.rpc.BadRequest` or `google.rpc.RequestInfo`.',
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
          { $ref: '#/components/schemas/RequestInfo' },
          { type: 'object', description: 'Another message.' },
        ],
      },
    },
  },
  ErrorInfo: {
    type: 'object',
    description: 'The reason for a failure, for programs (google.rpc.ErrorInfo).',
    required: ['reason', 'domain'],
    properties: {
      reason: { $ref: '#/components/schemas/ErrorReason', description: 'The reason.' },
      domain: { type: 'string', const: 'svc.v2', description: 'The domain that the reason belongs to.' },
      metadata: {
        type: 'object',
        description: 'Facts about the failure, such as the id of a resource.',
        additionalProperties: { type: 'string' },
      },
    },
  },
  BadRequest: {
    type: 'object',
    description: 'Which fields are invalid, and why (google.rpc.BadRequest).',
    required: ['fieldViolations'],
    properties: {
      fieldViolations: {
        type: 'array',
        description: 'One entry per violation.',
        items: {
          type: 'object',
          required: ['field', 'description'],
          properties: {
            field: {
              type: 'string',
              description: 'The path of the field in the request, such as `resources[3].name`.',
            },
            description: { type: 'string', description: 'What is wrong, in English.' },
            reason: { $ref: '#/components/schemas/ErrorReason', description: 'The reason, for programs.' },
          },
        },
      },
    },
  },
  RequestInfo: {
    type: 'object',
    description: 'How to find an internal failure in the log of the service (google.rpc.RequestInfo).',
    required: ['requestId'],
    properties: { requestId: { type: 'string', description: 'The `X-Request-Id` of the response.' } },
  },
  SlowDown: {
    type: 'object',
    description: 'The response to a client address that sends too many requests.',
    required: ['error', 'error_description'],
    properties: {
      error: { type: 'string', const: 'slow_down', description: 'Always `slow_down`.' },
      error_description: { type: 'string', description: 'For developers, in English.' },
    },
  },
}
