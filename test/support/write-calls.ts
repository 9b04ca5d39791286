import { feedEvent, fixture } from './fixture.js'
import type { RequestJson } from './method-forms.js'
import { methodsOf, requestFor, standardSamples } from './standard-resources.js'

const { it, people, appInstances, appResources, groups, slaDefinitions, users, webhookEndpoints } = fixture

// By turns for the numbers of the requests of one test, which are two apart.
const contributorOrRequester = (n: number) => (Math.floor(n / 2) % 2 === 0 ? users.contributor : users.requester)

/** A method that writes, who may call it, and requests that each have an effect of their own. */
export interface WriteCall {
  readonly name: string
  readonly caller: 'admin' | 'key'
  readonly request: (n: number) => RequestJson
}

/** One for each method that writes and requires a credential. */
export const writeCalls: readonly WriteCall[] = [
  { name: 'ShareAppInstance', caller: 'key', request: () => ({ id: appInstances.itSecond, teamId: people }) },
  { name: 'UnshareAppInstance', caller: 'key', request: () => ({ id: appInstances.itSecond, teamId: people }) },
  {
    name: 'BatchUpdateAppResources',
    caller: 'key',
    request: (n) => ({ resources: [{ id: appResources.it, name: `Resource ${n}` }, { id: appResources.itSecond }] }),
  },
  {
    name: 'BatchCreateAppResources',
    caller: 'key',
    request: (n) => ({
      resources: ['a', 'b'].map((each) => ({
        appInstanceId: appInstances.it,
        resourceType: 'group',
        name: `Group ${n}`,
        externalId: `${n}-${each}`,
      })),
    }),
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
  { name: 'DeleteDepartmentOption', caller: 'key', request: (n) => ({ id: `department-${n}` }) },
  {
    name: 'UpdateUser',
    caller: 'key',
    request: (n) => ({ id: users.builder, jobTitle: `Builder ${n}`, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }),
  },
  {
    name: 'ImportRecords',
    caller: 'admin',
    request: (n) => ({ records: [{ team: { id: `t${n}`, organizationId: fixture.acme, name: 'New' } }] }),
  },
  { name: 'CreateUser', caller: 'admin', request: (n) => ({ email: `new${n}@example.com`, firstName: 'New' }) },
  {
    name: 'BatchUpdateUsers',
    caller: 'key',
    request: (n) => ({ users: [{ id: users.builder, locale: n % 2 === 0 ? 'en-GB' : 'fr-FR' }, { id: 'nobody' }] }),
  },
  { name: 'DeactivateUser', caller: 'key', request: (n) => ({ id: contributorOrRequester(n) }) },
  { name: 'ReactivateUser', caller: 'admin', request: (n) => ({ id: contributorOrRequester(n) }) },
  { name: 'EndUserSessions', caller: 'key', request: () => ({ id: users.guest }) },
  {
    name: 'CreateApiKey',
    caller: 'admin',
    request: (n) => ({ teamId: it, name: `Key ${n}`, permissions: ['tickets:read'] }),
  },
  { name: 'RotateApiKey', caller: 'admin', request: (n) => ({ id: `managed-${n}` }) },
  { name: 'RevokeApiKey', caller: 'admin', request: (n) => ({ id: `revocable-${n}` }) },
  { name: 'ArchiveSlaDefinition', caller: 'key', request: () => ({ id: slaDefinitions.it }) },
  { name: 'UnarchiveSlaDefinition', caller: 'key', request: () => ({ id: slaDefinitions.it }) },
  ...['RotateWebhookEndpointSecret', 'EnableWebhookEndpoint', 'DisableWebhookEndpoint', 'TestWebhookEndpoint'].map(
    (name): WriteCall => ({ name, caller: 'key', request: () => ({ id: webhookEndpoints.it }) }),
  ),
  { name: 'RecoverWebhookEndpoint', caller: 'key', request: () => ({ id: webhookEndpoints.it }) },
  { name: 'ReplayWebhookEndpoint', caller: 'key', request: () => ({ id: webhookEndpoints.it, position: '1' }) },
  {
    name: 'ResendWebhookDelivery',
    caller: 'key',
    request: () => ({ webhookEndpointId: webhookEndpoints.it, id: feedEvent }),
  },
  { name: 'UpdateOrganization', caller: 'key', request: (n) => ({ name: `Organization ${n}` }) },
  { name: 'CreateTeam', caller: 'key', request: (n) => ({ name: `Team ${n}` }) },
  { name: 'UpdateTeam', caller: 'key', request: (n) => ({ id: it, name: `Renamed ${n}` }) },
  { name: 'CreateGroup', caller: 'key', request: (n) => ({ name: `Group ${n}` }) },
  { name: 'UpdateGroup', caller: 'key', request: (n) => ({ id: groups.it, name: `Renamed ${n}` }) },
  { name: 'AddGroupMember', caller: 'key', request: () => ({ groupId: groups.it, userId: users.viewer }) },
  {
    name: 'SetTeamMember',
    caller: 'key',
    request: (n) => ({
      teamId: it,
      userId: users.viewer,
      role: 'TEAM_USER_ROLE_VIEWER',
      expiresAt: new Date(Date.UTC(2100, 1, 1 + n)).toISOString(),
    }),
  },
  ...standardSamples.flatMap((sample): WriteCall[] => {
    const { name, create, change, writtenByUsersOnly } = sample
    const caller = writtenByUsersOnly ? 'admin' : 'key'
    const named = requestFor(sample, sample.fixture.it)
    return [
      { name: `Create${name}`, caller, request: create },
      ...(change === undefined
        ? []
        : [{ name: `Update${name}`, caller, request: (n: number) => ({ ...named, ...change(n) }) } as const]),
    ]
  }),
]

/** A method that removes what another call makes. */
export interface Removal extends Pick<WriteCall, 'name' | 'caller'> {
  readonly made: WriteCall
  /** The request for what was made; members have no id. */
  readonly request: (id: string) => RequestJson
}

const madeBy = (wanted: string): WriteCall => {
  const call = writeCalls.find(({ name }) => name === wanted)
  if (call === undefined) throw new Error(`${wanted} has no row`)
  return call
}

/** One for each method that deletes or removes. */
export const removals: readonly Removal[] = [
  ...standardSamples
    .filter((sample) => methodsOf(sample).some(([verb]) => verb === 'Delete'))
    .map((sample) => {
      const made = madeBy(`Create${sample.name}`)
      return {
        name: `Delete${sample.name}`,
        caller: made.caller,
        made,
        request: (id: string) => requestFor(sample, id),
      }
    }),
  { name: 'DeleteTeam', caller: 'key', made: madeBy('CreateTeam'), request: (id) => ({ id }) },
  { name: 'DeleteGroup', caller: 'key', made: madeBy('CreateGroup'), request: (id) => ({ id }) },
  {
    name: 'RemoveTeamMember',
    caller: 'key',
    made: madeBy('SetTeamMember'),
    request: () => ({ teamId: it, userId: users.viewer }),
  },
  {
    name: 'RemoveGroupMember',
    caller: 'key',
    made: madeBy('AddGroupMember'),
    request: () => ({ groupId: groups.it, userId: users.viewer }),
  },
]
