import type { DescMethod, JsonObject } from '@bufbuild/protobuf'
import { services } from '../../src/handlers/routes.js'
import { onlyReads } from '../../src/limits/method-rules.js'
import { parameterExamples } from '../../src/openapi/examples.js'

/** The request that the examples of a method's parameters make, on the demo organization. */
function exampleOf({ input }: DescMethod): JsonObject {
  const examples = input.fields.map((field) => [field.jsonName, parameterExamples[`${input.typeName}.${field.name}`]])
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}

/** Every method that reads, streams included, with an example of a request on the demo organization. */
export const readCalls: readonly (readonly [name: string, request: JsonObject, isStream: boolean])[] = services
  .flatMap(({ methods }) => methods)
  .filter(onlyReads)
  .map((method) => [method.name, exampleOf(method), method.methodKind !== 'unary'])
