import { app, journey, owner, priority, procedure, sla, task, user, uuid, value } from './record-lines.js'
import { line } from './transfer-text.js'

/** What a line has, and what the error says behind its number. */
export const badLines: readonly (readonly [string, string, string])[] = [
  ['text that is not JSON', '{"priority":', 'invalid JSON at column 13: expected a value'],
  ['a list', '[]', 'expected an object, got an array'],
  ['nothing in it', '{}', 'record: must have one of organization, team'],
  ['two kinds', '{"team":{},"priority":{}}', 'priority: team and priority cannot both be set'],
  ['a key twice', '{"priority":{"id":"a","id":"b"}}', 'invalid JSON at column 23: duplicate key "id"'],
  [
    'both names of a field',
    '{"priority":{"teamId":"a","team_id":"a"}}',
    'priority.team_id: given twice, as teamId and team_id',
  ],
  ['an unknown kind', '{"ticket":{}}', 'ticket: no such field in svc.v2.ImportRecord'],
  [
    'an organization beside what names its own',
    '{"organizationId":"org_acme","team":{"id":"t","organizationId":"org_acme","name":"T"}}',
    'organizationId: is only for records that name an owner such as a team, not for team',
  ],
  [
    'an organization beside an organization',
    '{"organizationId":"org_acme","organization":{"id":"org_x","name":"X"}}',
    'organizationId: is only for records that name an owner such as a team, not for organization',
  ],
  [
    'an organization that is not an id',
    '{"organizationId":"a b","priority":{"id":"p","teamId":"team_it","priority":"P1","name":"P"}}',
    'organizationId: ',
  ],
  ['an unknown field', priority({ colour: 'red' }), 'priority.colour: no such field in svc.v2.Priority'],
  ['a number for a text', priority({ name: 5 }), 'priority.name: expected a string, got 5'],
  [
    'a text for a boolean',
    priority({ isAiSelectable: 'yes' }),
    'priority.isAiSelectable: expected true or false, got "yes"',
  ],
  ['null in a list', app({ tagIds: [null] }), 'appInstance.tagIds[0]: null is not allowed in a list'],
  [
    'a whole number out of range',
    sla({ targetDurationSeconds: 2 ** 31 }),
    'slaDefinition.targetDurationSeconds: 2147483648 is out of range for int32',
  ],
  [
    'a fraction',
    sla({ targetDurationSeconds: 1.5 }),
    'slaDefinition.targetDurationSeconds: expected an integer, got 1.5',
  ],
  [
    'a negative duration',
    sla({ targetDurationSeconds: -1 }),
    'slaDefinition.targetDurationSeconds: must be at least 0',
  ],
  [
    'an unknown enum value',
    sla({ metric: 'SLA_METRIC_MOOD' }),
    'slaDefinition.metric: no value "SLA_METRIC_MOOD" in enum svc.v2.SlaMetric: use one of SLA_METRIC_UNSPECIFIED, ',
  ],
  [
    'an unknown enum number',
    sla({ metric: 77 }),
    'slaDefinition.metric: no value 77 in enum svc.v2.SlaMetric: use one of SLA_METRIC_UNSPECIFIED, ',
  ],
  ['U+0000', priority({ description: 'a\0b' }), 'invalid text at column 89: U+0000 cannot be stored'],
  [
    'a lone surrogate',
    String.raw`{"priority":{"description":"\ud800"}}`,
    'invalid JSON at column 28: lone surrogate in a string',
  ],
  [
    'a control character in a name',
    priority({ name: 'a\u0007' }),
    'priority.name: must not contain control characters',
  ],
  ['no id', priority({ id: '' }), 'priority.id: is required'],
  ['an id with a space', priority({ id: 'a b' }), 'priority.id: must be 1 to 128 characters from A-Za-z0-9_.~:-'],
  ['an id that is too long', priority({ id: 'a'.repeat(129) }), 'priority.id: must be 1 to 128 characters'],
  ['no name', priority({ name: '' }), 'priority.name: is required'],
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
    'journey.dueDate: must be a valid calendar date',
  ],
  [
    'a date without a day',
    journey({ tasks: [task(1, { dueDate: { year: 2026, month: 2 } })] }),
    'journey.tasks[0].dueDate.day: must be from 1 to 31',
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
  ['an invalid email', user({ email: 'nobody' }), 'user.email: must be an email address'],
  ['an invalid phone', user({ primaryPhone: '12' }), 'user.primaryPhone: must be a phone number'],
  ['an avatar over http', user({ avatarUrl: 'http://a.example/x.png' }), 'user.avatarUrl: must be an https URL'],
  ['an invalid time zone', user({ timezone: 'Mars/Olympus' }), 'user.timezone: must be the IANA name of a time zone'],
  ['an invalid locale', user({ locale: 'english!' }), 'user.locale: must be a language tag'],
  [
    'an unknown role',
    user({ role: 'USER_ROLE_KING' }),
    'user.role: no value "USER_ROLE_KING" in enum svc.v2.UserRole: ',
  ],
  ['a team role without a role', user({ teamRoles: [{ teamId: 'team_it' }] }), 'user.teamRoles[0].role: is required'],
  [
    'a team twice',
    user({ teamRoles: [1, 2].map(() => ({ teamId: 'team_it', role: 'TEAM_USER_ROLE_AGENT' })) }),
    'user.teamRoles[1].teamId: repeats teamRoles[0].teamId',
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
  [
    'the user as the own manager',
    user({ managerUserId: 'user_x' }),
    "user.managerUserId: must not be the user's own id",
  ],
  [
    'a member twice',
    line('group', { id: 'g', organizationId: 'org_acme', name: 'G', userIds: ['user_ada', 'user_ada'] }),
    'group.userIds[1]: repeats userIds[0]',
  ],
  [
    'a share with the owner',
    app({ sharedWithTeamIds: ['team_it'] }),
    'appInstance.sharedWithTeamIds[0]: already owns the app instance: omit it',
  ],
  ['a procedure without steps', procedure({}), 'approvalProcedure.stages: must have at least one stage'],
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
    'approvalProcedure.stages[0].steps[0].approvers[0].manager: appOwner and manager cannot both be set',
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
    'approvalProcedure.steps[1].id: repeats steps[0].id',
  ],
  [
    'an invalid step id',
    procedure({ steps: [{ ...owner, id: 'a b' }] }),
    'approvalProcedure.steps[0].id: must be 1 to 128 characters from A-Za-z0-9_.~:-',
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
    'journey.tasks[0].parentTaskId: the journey has no task',
  ],
  [
    'a dependency outside of the journey',
    journey({ tasks: [task(1, { dependsOnIds: [uuid(7)] })] }),
    'journey.tasks[0].dependsOnIds[0]: the journey has no task',
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
    'journey.healthChecks[1].id: repeats healthChecks[0].id',
  ],
  [
    'a custom field twice',
    journey({ customFields: [{ fieldId: 'f' }, { fieldId: 'f' }] }),
    'journey.customFields[1].fieldId: repeats customFields[0].fieldId',
  ],
  ['a text for a NUMBER', value('NUMBER', '5'), 'journey.customFields[0].value: must be a number'],
  ['a number for a BOOL', value('BOOL', 1), 'journey.customFields[0].value: must be true or false'],
  ['a number for a TEXT', value('TEXT', 5), 'journey.customFields[0].value: must be a string'],
  ['a text for a MULTI_SELECT', value('MULTI_SELECT', 'a'), 'journey.customFields[0].value: must be a list of strings'],
  [
    'numbers in a MULTI_SELECT',
    value('MULTI_SELECT', ['a', 1]),
    'journey.customFields[0].value: must be a list of strings',
  ],
  ['an object for a USER_REF', value('USER_REF', { id: 'a' }), 'journey.customFields[0].value: must be a string'],
  ['a word for a TIMESTAMP', value('TIMESTAMP', 'today'), 'journey.customFields[0].value: must be a time'],
  ['an object for an unspecified type', value('UNSPECIFIED', {}), 'journey.customFields[0].value: must be a string'],
  [
    'a condition of another definition',
    sla({ conditions: [{ id: 'c', slaDefinitionId: 'sla_y' }] }),
    'slaDefinition.conditions[0].slaDefinitionId: must be the id of',
  ],
  [
    'an action twice',
    sla({ actionDefinitions: [{ id: 'a' }, { id: 'a' }] }),
    'slaDefinition.actionDefinitions[1].id: repeats actionDefinitions[0].id',
  ],
]
