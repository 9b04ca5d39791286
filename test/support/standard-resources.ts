import { getOption } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../src/handlers/routes.js'
import { fixture } from './fixture.js'
import type { MethodDoors, RequestJson } from './method-doors.js'
import { segment, withQuery } from './method-doors.js'

const standardVerbs = ['Get', 'List', 'Create', 'Update', 'Delete'] as const

/** The standard methods, by verb. */
export type StandardVerb = (typeof standardVerbs)[number]

/** A resource with standard methods, and requests that they take from a caller of the team `it`. */
export interface StandardSample {
  /** Its name in methods, singular and plural. */
  readonly name: string
  readonly plural: string
  readonly path: string
  /** Default: all. */
  readonly verbs?: readonly StandardVerb[]
  /** Its permissions are, for example, `entities:read` and `entities:write`. */
  readonly permissions: 'access' | 'entities' | 'tickets'
  /** Whether only users may write. */
  readonly writtenByUsersOnly?: true
  readonly create: (n: number) => RequestJson & { readonly teamId: string }
  /** What the server adds to a new object besides its id. */
  readonly added?: RequestJson
  readonly change: (n: number) => RequestJson
  /** What the server changes besides. */
  readonly touched?: RequestJson
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
  {
    name: 'SlaDefinition',
    plural: 'SlaDefinitions',
    path: '/v2/sla-definitions',
    verbs: ['Get', 'Create', 'Update'],
    permissions: 'tickets',
    create: (n) => ({
      teamId: fixture.it,
      name: `Promise ${n}`,
      description: 'Somebody answers',
      scheduleId: 'office',
      policyGroup: 'response',
      targetDurationSeconds: 60 * n,
      useCalendarTime: false,
      useAssignedGroupSchedule: true,
      conditions: [],
      attachmentCriteria: [],
      actionDefinitions: [],
      startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
      metric: 'SLA_METRIC_RESOLUTION',
    }),
    added: { createdAt: expect.any(String), updatedAt: expect.any(String) },
    change: (n) => ({ name: `Renamed ${n}`, targetDurationSeconds: 90 * n }),
    touched: { updatedAt: expect.any(String) },
    fixture: fixture.slaDefinitions,
    auditedAs: 'sla_definition',
  },
]

/** The table of a resource. */
export function tableOf({ path }: StandardSample): string {
  return path.replace('/v2/', '').replaceAll('-', '_')
}

/** The name of a standard method. */
function methodName({ name, plural }: StandardSample, verb: StandardVerb): string {
  return `${verb}${verb === 'List' ? plural : name}`
}

/** The standard methods of a resource: verb and name. */
export function methodsOf(sample: StandardSample): readonly (readonly [verb: StandardVerb, name: string])[] {
  return (sample.verbs ?? standardVerbs).map((verb) => [verb, methodName(sample, verb)])
}

const routeOf: Readonly<Record<StandardVerb, (path: string) => string>> = {
  Get: (path) => `get ${path}/{id}`,
  List: (path) => `get ${path}`,
  Create: (path) => `post ${path}`,
  Update: (path) => `patch ${path}/{id}`,
  Delete: (path) => `delete ${path}/{id}`,
}

/** The routes of all samples, by service and method. */
export const standardRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  standardSamples.flatMap((sample) =>
    methodsOf(sample).map(([verb, name]) => [`${sample.name}Service.${name}`, routeOf[verb](sample.path)]),
  ),
)

/** A standard method as both doors know it. */
export function standardMethod(sample: StandardSample, verb: StandardVerb): MethodDoors {
  const wanted = methodName(sample, verb)
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
