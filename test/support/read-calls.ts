import type { DescMethod, JsonObject } from '@bufbuild/protobuf'
import { services } from '../../src/handlers/routes.js'
import { onlyReads } from '../../src/limits/method-rules.js'
import { parameterExamples } from '../../src/openapi/fragments.js'

/** The request that the examples of a method's parameters make, on the demo organization. */
function exampleOf({ input }: DescMethod): JsonObject {
  const examples = input.fields.map((field) => [field.jsonName, parameterExamples[`${input.typeName}.${field.name}`]])
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}

/** A method that reads, and a request of it. */
type ReadCall = readonly [name: string, request: JsonObject, isStream: boolean]

/** The lists that are read across teams, and by the beginning of a name. */
const acrossTeams: readonly ReadCall[] = [
  ['ListTeamMembers', { teamId: '-' }, false],
  ...['ListAppInstances', 'ListSlaDefinitions', 'ListEntityIngestionConfigs'].flatMap((name): ReadCall[] => [
    [name, { teamId: '-', pageSize: 2 }, false],
    [name, { teamId: '-', q: 're' }, false],
  ]),
]

/** Every method that reads, streams included, with an example of a request on the demo organization. */
export const readCalls: readonly ReadCall[] = [
  ...services
    .flatMap(({ methods }) => methods)
    .filter(onlyReads)
    .map((method): ReadCall => [method.name, exampleOf(method), method.methodKind !== 'unary']),
  ...acrossTeams,
]
