import type { JsonObject } from '@bufbuild/protobuf'
import type { OperationAnswers } from './example-answers.js'
import { fragments } from './fragments.js'

/** The schemas of the errors of each status, by name: the usual body with the codes of the status. */
export function errorStatusSchemas(): JsonObject {
  const usual = Object.values(fragments.errorStatuses).filter(({ codes }) => codes.length > 0)
  return Object.fromEntries(
    usual.map(({ schema, description, codes }) => {
      const code = { description: 'The kind of failure.', enum: codes }
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
    const known = fragments.errorStatuses[status]
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
