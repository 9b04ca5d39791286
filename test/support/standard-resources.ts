import { getOption } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../src/handlers/routes.js'
import { fixture } from './fixture.js'
import type { MethodDoors, RequestJson } from './method-doors.js'
import { segment, withQuery } from './method-doors.js'

/** A resource with standard methods, and requests that they take from a caller of the team `it`. */
export interface StandardSample {
  /** Its name in methods, singular and plural. */
  readonly name: string
  readonly plural: string
  readonly path: string
  /** Its permissions are, for example, `entities:read` and `entities:write`. */
  readonly permissions: 'access' | 'entities' | 'tickets'
  /** Whether only users may write. */
  readonly writtenByUsersOnly?: true
  readonly create: (n: number) => RequestJson & { readonly teamId: string }
  /** What the server adds to a new object besides its id. */
  readonly added?: RequestJson
  readonly change: (n: number) => RequestJson
  /** Whether its update is a statement of its own, whose audit event names no fields. */
  readonly updatedByStatement?: true
  /** Objects of the fixture, and the names of what refers to them, if anything can. */
  readonly fixture: Readonly<Record<'it' | 'people' | 'globex', string>>
  readonly referrers?: string
  /** The name that the audit log has for it. */
  readonly auditedAs: string
}

/** Every resource with standard methods: what tests of all of them need to know. */
export const standardSamples: readonly StandardSample[] = [
  {
    name: 'EntityType',
    plural: 'EntityTypes',
    path: '/v2/entity-types',
    permissions: 'entities',
    create: (n) => ({ teamId: fixture.it, name: `Type ${n}` }),
    change: (n) => ({ name: `Renamed ${n}` }),
    fixture: fixture.entityTypes,
    referrers: 'ingestionConfigs,fieldMappings',
    auditedAs: 'entity_type',
  },
  {
    name: 'AccessPolicy',
    plural: 'AccessPolicies',
    path: '/v2/access-policies',
    permissions: 'access',
    create: (n) => ({ teamId: fixture.it, name: `Policy ${n}` }),
    change: (n) => ({ name: `Renamed ${n}` }),
    fixture: fixture.accessPolicies,
    referrers: 'approvalProcedures',
    auditedAs: 'access_policy',
  },
  {
    name: 'Priority',
    plural: 'Priorities',
    path: '/v2/priorities',
    permissions: 'tickets',
    writtenByUsersOnly: true,
    create: (n) => ({
      teamId: fixture.it,
      priority: `P${n}`,
      name: `Level ${n}`,
      description: 'When it can wait',
      isAiSelectable: true,
    }),
    added: { scopedId: expect.stringMatching(/^pri_[0-9a-z]{16}$/) },
    change: (n) => ({ name: `Priority ${n} “é”` }),
    updatedByStatement: true,
    fixture: fixture.priorities,
    auditedAs: 'priority',
  },
]

/** The table of a resource. */
export function tableOf({ path }: StandardSample): string {
  return path.replace('/v2/', '').replaceAll('-', '_')
}

/** The standard methods, by verb. */
export type StandardVerb = 'Get' | 'List' | 'Create' | 'Update' | 'Delete'

/** The routes of all samples, by service and method. */
export const standardRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  standardSamples.flatMap(({ name, plural, path }) => [
    [`${name}Service.Get${name}`, `get ${path}/{id}`],
    [`${name}Service.List${plural}`, `get ${path}`],
    [`${name}Service.Create${name}`, `post ${path}`],
    [`${name}Service.Update${name}`, `patch ${path}/{id}`],
    [`${name}Service.Delete${name}`, `delete ${path}/{id}`],
  ]),
)

/** A standard method as both doors know it. */
export function standardMethod({ name, plural }: StandardSample, verb: StandardVerb): MethodDoors {
  const wanted = `${verb}${verb === 'List' ? plural : name}`
  const method = services.flatMap(({ methods }) => methods).find((each) => each.name === wanted)
  const { pattern } = method === undefined ? { pattern: { case: undefined } } : getOption(method, http)
  if (method === undefined || pattern.case === undefined || pattern.case === 'custom') {
    throw new Error(`there is no method ${wanted}`)
  }
  const { case: rest, value } = pattern
  return {
    procedure: `${method.parent.typeName}/${wanted}`,
    rest: (request) => {
      const fields: Record<string, unknown> = { ...request }
      const path = value.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
        const id = fields[field]
        delete fields[field]
        return segment(id)
      })
      const hasBody = rest !== 'get' && rest !== 'delete'
      return { method: rest.toUpperCase(), ...(hasBody ? { path, json: fields } : { path: withQuery(path, fields) }) }
    },
  }
}
