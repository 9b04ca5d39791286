import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../src/handlers/routes.js'
import { fixture } from './fixture.js'
import type { RequestJson } from './method-doors.js'
import { standardSamples } from './standard-resources.js'

const { it, accessPolicies, appResources, slaDefinitions, users } = fixture

/** A method that writes, who may call it, and requests that each have an effect of their own. */
export interface WriteCall {
  readonly name: string
  readonly caller: 'admin' | 'key'
  readonly request: (n: number) => RequestJson
}

/** One for each method that writes and requires a credential. */
export const writeCalls: readonly WriteCall[] = [
  {
    name: 'CreateAccessPolicyApprovalProcedure',
    caller: 'key',
    request: (n) => ({
      accessPolicyId: accessPolicies.it,
      timeoutSeconds: 300 + n,
      steps: [{ approvers: [{ manager: {} }] }],
    }),
  },
  {
    name: 'BatchUpdateAppResources',
    caller: 'key',
    request: (n) => ({ resources: [{ id: appResources.it, name: `Resource ${n}` }, { id: appResources.itSecond }] }),
  },
  {
    name: 'IngestUserProfiles',
    caller: 'key',
    request: (n) => ({ source: it, profiles: [{ externalId: `e${n}`, email: `e${n}@example.com`, firstName: 'É' }] }),
  },
  { name: 'RepublishUser', caller: 'key', request: () => ({ id: users.requester }) },
  {
    name: 'CreateUserRelationship',
    caller: 'admin',
    request: (n) => ({ userId: users.agent, relatedUserId: n % 2 === 0 ? users.manager : users.viewer }),
  },
  { name: 'DeleteUserRelationship', caller: 'admin', request: () => ({ userId: users.viewer }) },
  {
    name: 'UpdateUser',
    caller: 'key',
    request: (n) => ({ id: users.builder, jobTitle: `Builder ${n}`, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }),
  },
  { name: 'CreateUser', caller: 'admin', request: (n) => ({ email: `new${n}@example.com`, firstName: 'New' }) },
  { name: 'ArchiveSlaDefinition', caller: 'key', request: () => ({ id: slaDefinitions.it }) },
  { name: 'UnarchiveSlaDefinition', caller: 'key', request: () => ({ id: slaDefinitions.it }) },
  ...standardSamples.flatMap(({ name, create, change, fixture: { it: id }, writtenByUsersOnly }): WriteCall[] => {
    const caller = writtenByUsersOnly ? 'admin' : 'key'
    return [
      { name: `Create${name}`, caller, request: create },
      { name: `Update${name}`, caller, request: (n) => ({ id, ...change(n) }) },
    ]
  }),
]

/** A method of the API by its name. */
export function methodNamed(name: string): DescMethod {
  const method = services.flatMap(({ methods }) => methods).find((each) => each.name === name)
  if (method === undefined) throw new Error(`there is no method ${name}`)
  return method
}

/** The REST form of a message. */
export interface RestForm {
  readonly verb: string
  readonly path: string
  /** Absent if the method takes no body. */
  readonly json?: RequestJson
}

/** A request message by its `google.api.http` rule: fields in the path, the others in the body or the query. */
export function restFormOf(method: DescMethod, request: RequestJson): RestForm {
  const { pattern, body } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no plain route`)
  const rest = { ...request }
  const path = pattern.value.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const name = method.input.fields.find((each) => each.name === field)?.jsonName ?? field
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  return { verb: pattern.case.toUpperCase(), path, ...(body === '*' && { json: rest }) }
}
