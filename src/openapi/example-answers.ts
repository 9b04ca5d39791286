import type { JsonObject } from '@bufbuild/protobuf'

/** The recorded response to the example of an operation, and to requests that it rejects. */
export interface OperationAnswers {
  /** Absent if the response is empty. */
  readonly success?: JsonObject
  /** Bodies by status and reason. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
}

/**
 * Responses of the service with the demo organization, by operation, as in `gen/openapi/examples.json`; `default` has
 * the failures that are not specific to an operation.
 */
export type ExampleAnswers = Readonly<Record<string, OperationAnswers>>

/** For each reason, the body that most operations return, if more than one does. */
export function sharedErrors(answers: ExampleAnswers): ReadonlyMap<string, JsonObject> {
  const counts = new Map<string, Map<string, number>>()
  for (const { errors } of Object.values(answers)) {
    for (const [reason, body] of Object.values(errors).flatMap((byReason) => Object.entries(byReason))) {
      const ofReason = counts.get(reason) ?? new Map<string, number>()
      const text = JSON.stringify(body)
      counts.set(reason, ofReason.set(text, (ofReason.get(text) ?? 0) + 1))
    }
  }
  return new Map(
    [...counts]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([reason, ofReason]) => {
        const [[text, count] = ['', 0]] = [...ofReason].sort(([, one], [, other]) => other - one)
        return count > 1 ? [[reason, JSON.parse(text)]] : []
      }),
  )
}
