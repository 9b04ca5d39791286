import type { JsonObject } from '@bufbuild/protobuf'
import { defined, fragments, reference } from './fragments.js'

/** The recorded response to the example of an operation, and to requests that it rejects. */
export interface OperationAnswers {
  readonly success?: JsonObject
  readonly errors: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
}

/**
 * Responses of the service with the demo organization, by operation, as in `gen/openapi/examples.json`; `default` has
 * the failures that are not specific to an operation.
 */
export type ExampleAnswers = Readonly<Record<string, OperationAnswers>>

/** For each reason, the body that most operations return, if more than one does. */
export function sharedErrors(answers: ExampleAnswers): ReadonlyMap<string, JsonObject> {
  const bodies = new Map<string, string[]>()
  for (const [reason, body] of Object.values(answers).flatMap(errorsOf)) {
    bodies.set(reason, [...(bodies.get(reason) ?? []), JSON.stringify(body)])
  }
  const shared = [...bodies].flatMap(([reason, texts]): [string, JsonObject][] => {
    const countOf = (text: string) => texts.filter((each) => each === text).length
    const [most = ''] = [...new Set(texts)].sort((one, other) => countOf(other) - countOf(one))
    return countOf(most) > 1 ? [[reason, JSON.parse(most)]] : []
  })
  return new Map(shared.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function errorsOf({ errors }: OperationAnswers): [reason: string, body: JsonObject][] {
  return Object.values(errors).flatMap((byReason) => Object.entries(byReason))
}

/** The schemas of the errors of each status, by name: the usual body with the codes of the status. */
export function errorStatusSchemas(): JsonObject {
  const usual = Object.values(fragments.errorStatuses).filter(({ codes }) => codes.length > 0)
  return Object.fromEntries(
    usual.map(({ schema, description, codes }) => {
      const code = { description: 'The kind of failure.', enum: codes }
      return [schema, { description, allOf: [reference('schemas', 'Error'), { properties: { code } }] }]
    }),
  )
}

export function otherErrors(answers: OperationAnswers | undefined): JsonObject {
  const examples = answers === undefined ? [] : errorsOf(answers).map(([reason, value]) => [reason, { value }])
  const media = { schema: reference('schemas', 'Error'), examples: Object.fromEntries(examples) }
  return { description: 'Any other failure; see the code.', content: { 'application/json': media } }
}

export function errorResponses(
  answers: OperationAnswers | undefined,
  shared: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byReason]) => {
    const known = fragments.errorStatuses[status]
    if (known === undefined) throw new Error(`the documents have no response for errors with status ${status}`)
    const { description, headers, schema } = known
    const examples = Object.entries(byReason).map(([reason, value]) => {
      const isShared = JSON.stringify(shared.get(reason)) === JSON.stringify(value)
      return [reason, isShared ? reference('examples', reason) : { value }]
    })
    const media = { schema: reference('schemas', schema), examples: Object.fromEntries(examples) }
    return [status, defined({ description, headers, content: { 'application/json': media } })]
  })
  return { ...Object.fromEntries(responses), default: reference('responses', 'Error') }
}
