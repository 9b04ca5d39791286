import { app, journey, owner, priority, procedure, resource, sla, task, user, uuid, value } from './record-lines.js'
import { line } from './transfer-text.js'

/** What a line has, and what the error says behind its number. */
export const badLines: readonly (readonly [string, string, string])[] = [
  ['text that is no JSON', '{"priority":', 'is not JSON: '],
  ['a list', '[]', ': must be an object, not a list'],
  ['nothing in it', '{}', 'record: must have one of organization, team'],
  ['two kinds', '{"team":{},"priority":{}}', 'priority: cannot stand beside team'],
  ['a key twice', '{"priority":{"id":"a","id":"b"}}', 'the key "id" stands twice in one object'],
  ['both names of a field', '{"priority":{"teamId":"a","team_id":"a"}}', 'priority.team_id: is given twice'],
  ['an unknown kind', '{"ticket":{}}', 'ticket: is not known'],
  ['an unknown field', priority({ colour: 'red' }), 'priority.colour: is not known'],
  ['a number for a text', priority({ name: 5 }), 'priority.name: must be a text, not a number'],
  [
    'a text for a boolean',
    priority({ isAiSelectable: 'yes' }),
    'priority.isAiSelectable: must be true or false, not a text',
  ],
  ['null in a list', app({ tagIds: [null] }), 'appInstance.tagIds[0]: must be a text, not null'],
  [
    'a whole number out of range',
    sla({ targetDurationSeconds: 2 ** 31 }),
    'slaDefinition.targetDurationSeconds: must be a whole number of 32 bits',
  ],
  [
    'a fraction',
    sla({ targetDurationSeconds: 1.5 }),
    'slaDefinition.targetDurationSeconds: must be a whole number of 32 bits',
  ],
  [
    'a negative duration',
    sla({ targetDurationSeconds: -1 }),
    'slaDefinition.targetDurationSeconds: must be at least 0',
  ],
  [
    'an unknown enum value',
    sla({ metric: 'SLA_METRIC_MOOD' }),
    'slaDefinition.metric: must be one of SLA_METRIC_UNSPECIFIED, ',
  ],
  ['an unknown enum number', sla({ metric: 77 }), 'slaDefinition.metric: must be one of SLA_METRIC_UNSPECIFIED, '],
  ['U+0000', priority({ description: 'a\0b' }), 'priority.description: must be well-formed Unicode without U+0000'],
  ['a lone surrogate', String.raw`{"priority":{"description":"\ud800"}}`, 'priority.description: must be well-formed'],
  ['a control character in a name', priority({ name: 'a\u0007' }), 'priority.name: must not have control characters'],
  ['no id', priority({ id: '' }), 'priority.id: is required'],
  ['an id with a space', priority({ id: 'a b' }), 'priority.id: must be 1 to 128 characters of A-Za-z0-9_.~:-'],
  ['an id that is too long', priority({ id: 'a'.repeat(129) }), 'priority.id: must be 1 to 128 characters'],
  ['no name', priority({ name: '' }), 'priority.name: must not be empty'],
  [
    'a scoped id that is too long',
    priority({ scopedId: 'a'.repeat(65) }),
    'priority.scopedId: must be 1 to 64 characters',
  ],
  [
    'an unknown region',
    line('organization', { id: 'org_x', name: 'X', region: 'mars' }),
    'organization.region: must be us or eu',
  ],
  ['a journey id that is no UUID', journey({ id: 'journey_1' }), 'journey.id: must be a UUID'],
  [
    'a date that is not in the calendar',
    journey({ dueDate: { year: 2026, month: 2, day: 29 } }),
    'journey.dueDate: must be a date of the calendar',
  ],
  [
    'a date without a day',
    journey({ tasks: [task(1, { dueDate: { year: 2026, month: 2 } })] }),
    'journey.tasks[0].dueDate: must be a date of the calendar',
  ],
  [
    '30 February as a time',
    journey({ createdAt: '2026-02-30T00:00:00Z' }),
    'journey.createdAt: must be a time such as',
  ],
  ['a time without a zone', journey({ createdAt: '2026-02-03T00:00:00' }), 'journey.createdAt: must be a time such as'],
  ['a time of 24 hours', journey({ createdAt: '2026-02-03T24:00:00Z' }), 'journey.createdAt: must be a time such as'],
  [
    'a time that is before the year 1 in UTC',
    journey({ createdAt: '0001-01-01T00:00:00+01:00' }),
    'journey.createdAt: must be a time such as',
  ],
  [
    'a bad time in a document',
    app({ a2aAgentCard: { lastSyncedAt: 'today' } }),
    'appInstance.a2aAgentCard.lastSyncedAt: must be a time',
  ],
  ['no email', user({ email: '' }), 'user.email: is required'],
  ['an email that is none', user({ email: 'nobody' }), 'user.email: must be an email address'],
  ['a phone that is none', user({ primaryPhone: '12' }), 'user.primaryPhone: must be a phone number'],
  ['an avatar over http', user({ avatarUrl: 'http://a.example/x.png' }), 'user.avatarUrl: must be an https URL'],
  [
    'a time zone that is none',
    user({ timezone: 'Mars/Olympus' }),
    'user.timezone: must be the IANA name of a time zone',
  ],
  ['a locale that is none', user({ locale: 'english!' }), 'user.locale: must be a language tag'],
  ['an unknown role', user({ role: 'USER_ROLE_KING' }), 'user.role: must be one of'],
  ['a team role without a role', user({ teamRoles: [{ teamId: 'team_it' }] }), 'user.teamRoles[0].role: is required'],
  [
    'a team twice',
    user({ teamRoles: [1, 2].map(() => ({ teamId: 'team_it', role: 'TEAM_USER_ROLE_AGENT' })) }),
    'user.teamRoles[1].teamId: team_it stands twice',
  ],
  [
    'an owner without a field',
    user({ fieldOwnership: [{ owner: 'FIELD_OWNER_PINNED' }] }),
    'user.fieldOwnership[0].field: must name a field',
  ],
  [
    'a field without an owner',
    user({ fieldOwnership: [{ field: 'USER_PROFILE_FIELD_LOCALE' }] }),
    'user.fieldOwnership[0].owner: must name an owner',
  ],
  ['the user as the own manager', user({ managerUserId: 'user_x' }), 'user.managerUserId: must not be the user'],
  [
    'a member twice',
    line('group', { id: 'g', organizationId: 'org_acme', name: 'G', userIds: ['user_ada', 'user_ada'] }),
    'group.userIds[1]: user_ada stands twice',
  ],
  [
    'a share with the owner',
    app({ sharedWithTeamIds: ['team_it'] }),
    'appInstance.sharedWithTeamIds[0]: is the team that owns the app instance',
  ],
  ['a procedure without steps', procedure({}), 'approvalProcedure.stages: must have a stage'],
  [
    'a stage without steps',
    procedure({ stages: [{}] }),
    'approvalProcedure.stages[0].steps: must have at least one step',
  ],
  [
    'an approver of no kind',
    procedure({ stages: [{ steps: [{ approvers: [{ notify: true }] }] }] }),
    'approvalProcedure.stages[0].steps[0].approvers[0]: must have one of',
  ],
  [
    'an approver of two kinds',
    procedure({ stages: [{ steps: [{ approvers: [{ appOwner: {}, manager: {} }] }] }] }),
    'approvalProcedure.stages[0].steps[0].approvers[0].manager: cannot stand beside appOwner',
  ],
  [
    'approvers and a workflow',
    procedure({ stages: [{ steps: [{ ...owner, customWorkflow: { workflowId: 'w' } }] }] }),
    'approvalProcedure.stages[0].steps[0]: must have either approvers',
  ],
  [
    'steps that differ from the stages',
    procedure({ stages: [{ steps: [owner] }], steps: [{ ...owner, autoApproveSelf: true }] }),
    'approvalProcedure.steps[0].autoApproveSelf: differs from',
  ],
  [
    'step ids that differ from the stages',
    procedure({ stages: [{ steps: [{ ...owner, id: 'a' }] }], steps: [{ ...owner, id: 'b' }] }),
    'approvalProcedure.steps[0].id: differs from stages[0].steps[0].id',
  ],
  [
    'a step id twice',
    procedure({
      steps: [
        { ...owner, id: 'a' },
        { ...owner, id: 'a' },
      ],
    }),
    'approvalProcedure.steps[1].id: a stands twice',
  ],
  [
    'a timeout that is too short',
    procedure({ steps: [owner], timeoutSeconds: 299 }),
    'approvalProcedure.timeoutSeconds: must be 0 or',
  ],
  [
    'a timeout that is too long',
    procedure({ steps: [owner], timeoutSeconds: 7_776_001 }),
    'approvalProcedure.timeoutSeconds: must be 0 or',
  ],
  ['a task twice', journey({ tasks: [task(1), task(1)] }), 'journey.tasks[1].id: '],
  [
    'a parent outside of the journey',
    journey({ tasks: [task(1, { parentTaskId: uuid(7) })] }),
    'journey.tasks[0].parentTaskId: there is no task',
  ],
  [
    'a dependency outside of the journey',
    journey({ tasks: [task(1, { dependsOnIds: [uuid(7)] })] }),
    'journey.tasks[0].dependsOnIds[0]: there is no task',
  ],
  [
    'a task as its own part',
    journey({ tasks: [task(1, { parentTaskId: uuid(1) })] }),
    'journey.tasks[0].parentTaskId: must not lead back',
  ],
  [
    'a circle of dependencies',
    journey({ tasks: [task(1), task(2, { dependsOnIds: [uuid(3)] }), task(3, { dependsOnIds: [uuid(1), uuid(2)] })] }),
    'journey.tasks[2].dependsOnIds: must not lead back',
  ],
  [
    'a health check twice',
    journey({ healthChecks: [{ id: 'c' }, { id: 'c' }] }),
    'journey.healthChecks[1].id: c stands twice',
  ],
  [
    'a custom field twice',
    journey({ customFields: [{ fieldId: 'f' }, { fieldId: 'f' }] }),
    'journey.customFields[1].fieldId: f stands twice',
  ],
  ['a text for a NUMBER', value('NUMBER', '5'), 'journey.customFields[0].value: must be a number'],
  ['a number for a BOOL', value('BOOL', 1), 'journey.customFields[0].value: must be true or false'],
  ['a number for a TEXT', value('TEXT', 5), 'journey.customFields[0].value: must be a text'],
  ['a text for a MULTI_SELECT', value('MULTI_SELECT', 'a'), 'journey.customFields[0].value: must be a list of texts'],
  [
    'numbers in a MULTI_SELECT',
    value('MULTI_SELECT', ['a', 1]),
    'journey.customFields[0].value: must be a list of texts',
  ],
  ['an object for a USER_REF', value('USER_REF', { id: 'a' }), 'journey.customFields[0].value: must be a text'],
  ['a word for a TIMESTAMP', value('TIMESTAMP', 'today'), 'journey.customFields[0].value: must be a time'],
  ['an object for an unspecified type', value('UNSPECIFIED', {}), 'journey.customFields[0].value: must be a text'],
  [
    'a condition of another definition',
    sla({ conditions: [{ id: 'c', slaDefinitionId: 'sla_y' }] }),
    'slaDefinition.conditions[0].slaDefinitionId: must be the id of',
  ],
  [
    'an action twice',
    sla({ actionDefinitions: [{ id: 'a' }, { id: 'a' }] }),
    'slaDefinition.actionDefinitions[1].id: a stands twice',
  ],
  // What refers to nothing, or to another organization.
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
  [
    'a manager who is nobody',
    user({ managerUserId: 'user_none' }),
    'user.managerUserId: there is no user user_none in the organization',
  ],
  [
    'a manager of another organization',
    user({ managerUserId: 'user_other' }),
    'user.managerUserId: there is no user user_other in the organization',
  ],
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
    'an approver who is nobody',
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
    'a task for nobody who exists',
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
  [
    'an id of another organization',
    priority({ id: 'pri_other' }),
    'priority.id: pri_other belongs to another organization',
  ],
  [
    'a journey id of another organization',
    journey({ id: uuid(50) }),
    `journey.id: ${uuid(50)} belongs to another organization`,
  ],
  [
    'a team of another organization',
    line('team', { id: 'team_other', organizationId: 'org_acme', name: 'Mine' }),
    'team.id: team_other belongs to another organization',
  ],
  // What another one has.
  [
    'an email that is taken, in other letters',
    user({ email: 'ADA@acme.example' }),
    'user.email: user user_ada has it already',
  ],
  ['a phone that is taken', user({ primaryPhone: '+12125550101' }), 'user.primaryPhone: user user_ada has it already'],
  [
    'a scoped id that is taken',
    priority({ scopedId: 'pri_urgent' }),
    'priority.scopedId: priority pri_urgent has it already',
  ],
  [
    'a scoped id of a resource of the team',
    resource({ scopedId: 'ares_vpn_full' }),
    'appResource.scopedId: app resource resource_vpn_full has it already',
  ],
  [
    'an external id that is taken',
    resource({ externalId: 'role-admin' }),
    'appResource.externalId: app resource resource_forge_admins has it already',
  ],
]
