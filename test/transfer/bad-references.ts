import { takenValueText } from '../../src/domain/value/taken-value.js'
import { app, journey, NO_MANAGER, owner, priority, procedure, resource, sla, task, user } from './record-lines.js'
import { line } from './transfer-text.js'

/** What a line refers to or takes, and what the error says behind its number. */
export const badReferences: readonly (readonly [string, string, string])[] = [
  // What there is not, or not in the organization.
  [
    'a team of no organization',
    line('team', { id: 't', organizationId: 'org_none', name: 'T' }),
    'team.organizationId: there is no organization org_none',
  ],
  [
    'a user of no organization',
    user({ organizationId: 'org_none' }),
    'user.organizationId: there is no organization org_none',
  ],
  ['an unknown manager', user({ managerUserId: 'user_none' }), NO_MANAGER],
  ['a manager of another organization', user({ managerUserId: 'user_other' }), NO_MANAGER],
  [
    'a role in a team of another organization',
    user({ teamRoles: [{ teamId: 'team_other', role: 'TEAM_USER_ROLE_AGENT' }] }),
    'user.teamRoles[0].teamId: there is no team team_other in the organization',
  ],
  [
    'a member of another organization',
    line('group', { id: 'g', organizationId: 'org_acme', name: 'G', userIds: ['user_ada', 'user_other'] }),
    'group.userIds[1]: there is no user user_other in the organization',
  ],
  ['a priority of no team', priority({ teamId: 'team_none' }), 'priority.teamId: there is no team team_none'],
  [
    'a policy of no team',
    line('accessPolicy', { id: 'p', teamId: 'team_none', name: 'P' }),
    'accessPolicy.teamId: there is no team team_none',
  ],
  [
    'a procedure of no policy',
    procedure({ accessPolicyId: 'policy_none', steps: [owner] }),
    'approvalProcedure.accessPolicyId: there is no access policy policy_none',
  ],
  [
    'an unknown approver',
    procedure({ steps: [owner, { approvers: [{ manager: {} }, { user: { userId: 'user_other' } }] }] }),
    'approvalProcedure.steps[1].approvers[1].user.userId: there is no user user_other in the organization',
  ],
  [
    'an approving group that does not exist',
    procedure({ stages: [{ steps: [{ approvers: [{ group: { groupId: 'group_none' } }] }] }] }),
    'approvalProcedure.stages[0].steps[0].approvers[0].group.groupId: there is no group group_none in the organization',
  ],
  [
    'a default policy that does not exist',
    app({ defaultAccessPolicyId: 'policy_none' }),
    'appInstance.defaultAccessPolicyId: there is no access policy policy_none in the organization',
  ],
  [
    'a share with another organization',
    app({ sharedWithTeamIds: ['team_people', 'team_other'] }),
    'appInstance.sharedWithTeamIds[1]: there is no team team_other in the organization',
  ],
  [
    'a resource of no app instance',
    resource({ appInstanceId: 'app_none' }),
    'appResource.appInstanceId: there is no app instance app_none',
  ],
  [
    'a requester of another organization',
    journey({ requesterUserId: 'user_other' }),
    'journey.requesterUserId: there is no user user_other in the organization',
  ],
  [
    "a requester's manager who is nobody",
    journey({ requesterManagerUserId: 'user_none' }),
    'journey.requesterManagerUserId: there is no user user_none in the organization',
  ],
  [
    'a task for an unknown user',
    journey({ tasks: [task(1), task(2, { assignedToUserId: 'user_none' })] }),
    'journey.tasks[1].assignedToUserId: there is no user user_none in the organization',
  ],
  [
    'a config of no app instance',
    line('entityIngestionConfig', {
      id: 'c',
      teamId: 'team_it',
      appInstanceId: 'app_none',
      internalEntityTypeId: 'type_device',
    }),
    'entityIngestionConfig.appInstanceId: there is no app instance app_none in the organization',
  ],
  [
    'a config of no entity type',
    line('entityIngestionConfig', {
      id: 'c',
      teamId: 'team_it',
      appInstanceId: 'app_vpn',
      internalEntityTypeId: 'type_none',
    }),
    'entityIngestionConfig.internalEntityTypeId: there is no entity type type_none in the organization',
  ],
  [
    'a mapping of no entity type',
    line('entityFieldMapping', {
      id: 'm',
      entityTypeId: 'type_none',
      ingestionConfigId: 'config_devices',
      internalFieldId: 'f',
    }),
    'entityFieldMapping.entityTypeId: there is no entity type type_none',
  ],
  [
    'a mapping of no config',
    line('entityFieldMapping', {
      id: 'm',
      entityTypeId: 'type_device',
      ingestionConfigId: 'config_none',
      internalFieldId: 'f',
    }),
    'entityFieldMapping.ingestionConfigId: there is no ingestion config config_none in the organization',
  ],
  ['an SLA definition of no team', sla({ teamId: 'team_none' }), 'slaDefinition.teamId: there is no team team_none'],
  // What another one has.
  [
    'an email that is taken, in other letters',
    user({ email: 'ADA@acme.example' }),
    'user.email: the email address belongs to Ada Lindqvist (user user_ada): choose another one, or update that user',
  ],
  [
    'a phone that is taken',
    user({ primaryPhone: '+12125550101' }),
    `user.primaryPhone: ${takenValueText('phone number of member')[1]}`,
  ],
  [
    'a scoped id that is taken',
    priority({ scopedId: 'pri_urgent' }),
    'priority.scopedId: priority pri_urgent already has it',
  ],
  [
    'a scoped id of a resource of the team',
    resource({ scopedId: 'ares_vpn_full' }),
    'appResource.scopedId: app resource resource_vpn_full already has it',
  ],
  [
    'an external id that is taken',
    resource({ externalId: 'role-admin' }),
    'appResource.externalId: app resource resource_forge_admins already has it',
  ],
]
