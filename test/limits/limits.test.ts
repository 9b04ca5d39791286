import { create, type DescField, type DescMessage, fromJson, getOption, type JsonObject } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type FieldRules, field as fieldRules } from '../../gen/buf/validate/validate_pb.js'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { ImportRecordsRequestSchema } from '../../gen/svc/v2/transfer_pb.js'
import { services } from '../../src/handlers/routes.js'
import { createLimitCheck, refuseLimits } from '../../src/limits/limit-check.js'
import { codePoint } from '../support/code-point.js'

// Records of an import are bounded by the size of its body and its count of values.
const requests = services
  .flatMap(({ methods }) => methods.map(({ input }) => input))
  .filter((input) => input !== ImportRecordsRequestSchema)
const check = createLimitCheck()

/** Ids are looked up, page tokens and cursors opened: none is found or opened if it is longer than those that there are. */
const isLookedUp = (name: string) => /[._]id$|\.(?:page_token|cursor)$/.test(name)

/** The other fields of requests without a limit of their own, and what bounds them. */
const unlimited: Readonly<Record<string, readonly string[]>> = {
  'is compared with what is stored: what no row has is not found, however long it is': [
    'ListAuditEventsRequest.action',
    'ListAuditEventsRequest.target_type',
    'ListAppResourcesRequest.resource_type',
  ],
  'is a moment: what is longer than one is none': [
    'CreateApiKeyRequest.expires_at',
    'RecoverWebhookEndpointRequest.since',
    'SetTeamMemberRequest.expires_at',
  ],
  'stands in a body that svc.v2.http_form keeps below 4 KiB': [
    'RevokeLeakedKeyRequest.secret',
    'CreateTokenRequest.client_secret',
  ],
}

describe('limits', () => {
  it('exist for every string and list of a request, unless something else bounds it', () => {
    const named = Object.values(unlimited).flat()
    const free = fieldsWithoutLimit(requests).filter((name) => !isLookedUp(name))
    expect(free.sort()).toEqual([...named].sort())
  })

  it('are compiled for every request and every imported record', () => {
    for (const desc of [...requests, ImportRecordSchema]) expect(() => check(desc, create(desc))).not.toThrow()
  })

  it('let only the values of an enum through, in requests and in imported records', () => {
    const open = messagesIn([...requests, ImportRecordSchema]).flatMap(({ fields, typeName }) =>
      fields
        .filter(
          (field) =>
            field.enum?.file.proto.package === 'svc.v2' &&
            !isComputed(field) &&
            !isClosed(getOption(field, fieldRules)),
        )
        .map(({ name }) => `${typeName}.${name}`),
    )
    expect(open).toEqual([])
  })

  it.each(textsWithLimit())('refuse %s beyond its limit in the same words, whatever the length', (_, field, most) => {
    const faultsOf = (text: string) => {
      const value = field.fieldKind === 'list' ? [text] : text
      const slot = field.oneof === undefined ? value : { case: field.localName, value }
      const message = create(field.parent, { [field.oneof?.localName ?? field.localName]: slot })
      const own = field.fieldKind === 'list' ? `${field.localName}[0]` : field.localName
      return check(field.parent, message).filter((each) => each.field === own)
    }
    const [fault] = faultsOf('😀'.repeat(most + 1))
    expect(fault).toBeDefined()
    for (const length of [2 * most, 20 * most]) expect(faultsOf('😀'.repeat(length))).toEqual([fault])
  })

  it('have one pattern for each kind of text', () => {
    const kinds = {
      id: '^[A-Za-z0-9_.~:-]*$',
      line: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
      lines: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
      source: '^[a-z0-9_.-]*$',
    }
    expect(patterns().sort()).toEqual(Object.values(kinds).sort())
  })

  it.each(patterns())('mean by %s the same to RE2 and to this engine', (pattern) => {
    const theirs = createValidator()
    const ours = createValidator({ regexMatch: (source, text) => new RegExp(source, 'u').test(text) })
    const field = fieldWithPattern(pattern)
    const violationsOf = (validator: typeof ours, text: string) =>
      validator.validate(field.parent, create(field.parent, { [field.localName]: text })).violations?.map(String)
    const character = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 1 }),
      fc.integer({ max: 255 }).map((code) => String.fromCharCode(code)),
    )
    fc.assert(
      fc.property(fc.array(character, { minLength: 1, maxLength: 8 }), (characters) => {
        expect(violationsOf(ours, characters.join(''))).toEqual(violationsOf(theirs, characters.join('')))
      }),
    )
  })

  it.each<[string, string, JsonObject, string[]]>([
    [
      'a negative page',
      'ListUsersRequest',
      { pageSize: -1 },
      ['pageSize FIELD_INVALID must be from 1 to 10000, or 0 for the maximum'],
    ],
    [
      'a negative page',
      'ListAppInstancesRequest',
      { pageSize: -1 },
      ['pageSize FIELD_INVALID must be from 1 to 10000, or 0 for the maximum'],
    ],
    [
      'a negative page',
      'ListAuditEventsRequest',
      { pageSize: -1 },
      ['pageSize FIELD_INVALID must be from 1 to 10000, or 0 for the maximum'],
    ],
    [
      'a negative page',
      'ListTeamsRequest',
      { pageSize: -1 },
      ['pageSize FIELD_INVALID must be from 1 to 1000, or 0 for 100'],
    ],
    [
      'a name of spaces',
      'UpdatePriorityRequest',
      { id: 'a', name: '  ', description: '  ' },
      ['name FIELD_INVALID must not be blank'],
    ],
    [
      'a name of nothing that is seen',
      'CreatePriorityRequest',
      { teamId: 'it', priority: '\u00a0\u3000', name: '\ufeff\u200b' },
      ['priority FIELD_INVALID must not be blank', 'name FIELD_INVALID must not be blank'],
    ],
    ['a name that is seen between spaces', 'UpdatePriorityRequest', { id: 'a', name: ' \u200b\u26a0\ufe0f ' }, []],
    [
      'blank texts in lists and messages',
      'BatchUpdateAppResourcesRequest',
      {
        resources: [
          { id: 'a', name: 'A' },
          { id: 'b', resourceType: ' ', externalId: ' ' },
        ],
      },
      ['resources[1].resourceType FIELD_INVALID must not be blank'],
    ],
    [
      'a blank workflow of a step',
      'CreateAccessPolicyApprovalProcedureRequest',
      { accessPolicyId: 'a', stages: [{ steps: [{ customWorkflow: { workflowId: '\u2003' } }] }] },
      ['stages[0].steps[0].customWorkflow.workflowId FIELD_INVALID must not be blank'],
    ],
    [
      'a tab in a name',
      'UpdateUserRequest',
      { id: 'u', jobTitle: 'a\tb' },
      ['jobTitle FIELD_INVALID must not contain control characters, including tabs and line breaks'],
    ],
    [
      'a long name',
      'UpdateUserRequest',
      { id: 'u', department: 'x'.repeat(256) },
      ['department FIELD_INVALID must have at most 255 characters'],
    ],
    [
      'a long address',
      'UpdateUserRequest',
      { id: 'u', email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(62)}` },
      ['email FIELD_INVALID must have at most 254 characters'],
    ],
    ['an empty address', 'UpdateUserRequest', { id: 'u', email: '' }, ['email FIELD_REQUIRED is required']],
    [
      'a long URL',
      'UpdateUserRequest',
      { id: 'u', avatarUrl: `https://x.example/${'a'.repeat(2048)}` },
      ['avatarUrl FIELD_INVALID must have at most 2048 characters'],
    ],
    [
      'a long phone number',
      'UpdateUserRequest',
      { id: 'u', primaryPhone: '+1'.padEnd(100) },
      ['primaryPhone FIELD_INVALID must have at most 64 characters'],
    ],
    [
      'a long time zone',
      'UpdateUserRequest',
      { id: 'u', timezone: 'a/b'.repeat(40) },
      ['timezone FIELD_INVALID must have at most 64 characters'],
    ],
    [
      'an invalid role',
      'UpdateUserRequest',
      { id: 'u', role: 0 },
      ['role FIELD_INVALID must be USER_ROLE_ORG_ADMIN, USER_ROLE_ORG_MEMBER or USER_ROLE_ORG_GUEST'],
    ],
    [
      'an unknown field',
      'UpdateUserRequest',
      { id: 'u', pinFields: [1, 99] },
      ['pinFields[1] FIELD_INVALID must be a value of UserProfileField, such as USER_PROFILE_FIELD_FIRST_NAME'],
    ],
    [
      'an unknown type',
      'GetUserRelationshipRequest',
      { userId: 'u', relationshipType: 7 },
      ['relationshipType FIELD_INVALID must be USER_RELATIONSHIP_TYPE_MANAGER'],
    ],
    [
      'a journey by another id',
      'GetJourneyRequest',
      { id: 'ONB-12' },
      ['id FIELD_INVALID must be a UUID such as 0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10'],
    ],
    [
      'no entries',
      'BatchUpdateAppResourcesRequest',
      {},
      ['resources BATCH_SIZE_OUT_OF_RANGE must have 1 to 1000 entries'],
    ],
    [
      'several faults, in the order of the schema',
      'BatchUpdateAppResourcesRequest',
      { resources: [{ id: 'a', scopedId: 'a b', name: '' }, { description: 'a\u0007' }] },
      [
        'resources[0].name FIELD_INVALID must not be empty',
        'resources[0].scopedId FIELD_INVALID must be 1 to 64 characters from A-Za-z0-9_.~:-',
        'resources[1].id FIELD_REQUIRED is required',
        'resources[1].description FIELD_INVALID must not contain control characters other than tabs and line breaks',
      ],
    ],
    [
      'a source of other letters',
      'IngestUserProfilesRequest',
      { source: 'HR IS', profiles: [{ externalId: '1', email: 'a@b.co' }] },
      ['source FIELD_INVALID must be 1 to 64 characters from a-z0-9_.-'],
    ],
    [
      'invalid steps',
      'CreateAccessPolicyApprovalProcedureRequest',
      {
        accessPolicyId: 'p',
        steps: [
          {},
          { approvers: [{}, { user: {} }], approverJustificationMode: 'a'.repeat(65) },
          { customWorkflow: {} },
        ],
        timeoutSeconds: 299,
      },
      [
        'steps[0] FIELD_INVALID must have either approvers or customWorkflow, and not both',
        'steps[1].approvers[0] FIELD_REQUIRED must have one of appOwner, manager, user and group',
        'steps[1].approvers[1].user.userId FIELD_REQUIRED is required',
        'steps[1].approverJustificationMode FIELD_INVALID must have at most 64 characters',
        'steps[2].customWorkflow.workflowId FIELD_REQUIRED is required',
        'timeoutSeconds TIMEOUT_OUT_OF_RANGE must be 0 or from 300 to 7776000',
      ],
    ],
    [
      'another grant',
      'CreateTokenRequest',
      { grant_type: 'password' },
      ['grant_type GRANT_TYPE_UNSUPPORTED must be client_credentials'],
    ],
    ['no grant', 'CreateTokenRequest', {}, ['grant_type FIELD_REQUIRED is required']],
    [
      'a key and a value of a map',
      'ImportRecord',
      { journey: journeyWithErrors({ 'a\tb': 'c', d: '\u0007' }) },
      [
        'journey.workflowFailures[0].validationErrors.fieldErrors FIELD_INVALID must not contain control characters, including tabs and line breaks',
        'journey.workflowFailures[0].validationErrors.fieldErrors["d"] FIELD_INVALID must not contain control characters other than tabs and line breaks',
      ],
    ],
  ])('refuse %s in %s', (_, name, json, expected) => {
    const desc = [...requests, ImportRecordSchema].find((each) => each.name === name)
    if (desc === undefined) throw new Error(`there is no ${name}`)
    const violations = check(desc, fromJson(desc, json))
    expect(violations.map(({ field, reason, description }) => `${field} ${reason} ${description}`)).toEqual(expected)
  })

  it('count characters, and ignore absent and computed fields', () => {
    const priority = { id: 'p', teamId: 't', priority: 'P1', name: '🚀'.repeat(255) }
    expect(check(ImportRecordSchema, fromJson(ImportRecordSchema, { priority }))).toEqual([])
    const journey = { ...journeyWithErrors({}), progressPercent: 250 }
    expect(check(ImportRecordSchema, fromJson(ImportRecordSchema, { journey }))).toEqual([])
  })

  it('report the violated fields, up to 20', () => {
    const desc = requests.find(({ name }) => name === 'UpdateUserRequest')
    if (desc === undefined) throw new Error('there is no UpdateUserRequest')
    const violations = check(desc, fromJson(desc, { id: 'u', pinFields: Array.from({ length: 100 }, () => 99) }))
    expect(() => refuseLimits(violations)).toThrow(expect.objectContaining({ reason: 'FIELD_INVALID', violations }))
    expect(violations).toHaveLength(20)
    expect(() => refuseLimits([])).not.toThrow()
  })
})

function journeyWithErrors(fieldErrors: JsonObject): JsonObject {
  const id = '0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10'
  return { id, teamId: 't', name: 'J', workflowFailures: [{ validationErrors: { fieldErrors } }] }
}

function messagesIn(descs: readonly DescMessage[]): DescMessage[] {
  const found = new Set(descs)
  for (const desc of found) for (const { message } of desc.fields) if (message !== undefined) found.add(message)
  return [...found]
}

function fieldsWithoutLimit(descs: readonly DescMessage[]): string[] {
  return messagesIn(descs).flatMap(({ fields, typeName }) =>
    fields
      .filter((field) => !isLimited(field, getOption(field, fieldRules)))
      .filter((field) => !isComputed(field))
      .map((field) => `${typeName.replace('svc.v2.', '')}.${field.name}`),
  )
}

function isComputed(field: DescField): boolean {
  return getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
}

function isClosed({ type }: FieldRules): boolean {
  if (type.case === 'repeated') return type.value.items !== undefined && isClosed(type.value.items)
  return type.case === 'enum' && type.value.definedOnly
}

const TEXT = [9, 12]

function isLimited({ fieldKind, proto }: DescField, { type }: FieldRules): boolean {
  if (fieldKind === 'list') return type.case === 'repeated' && type.value.maxItems > 0
  if (fieldKind !== 'scalar' || !TEXT.includes(proto.type)) return true
  if (type.case !== 'string') return false
  return (
    type.value.maxLen > 0 || type.value.const !== '' || type.value.in.length > 0 || type.value.wellKnown.case === 'uuid'
  )
}

function patternOf(field: DescField): string {
  const { type } = getOption(field, fieldRules)
  return type.case === 'string' ? type.value.pattern : ''
}

function fieldsWithPattern(): DescField[] {
  return messagesIn([...requests, ImportRecordSchema]).flatMap(({ fields }) =>
    fields.filter((field) => patternOf(field) !== ''),
  )
}

function patterns(): string[] {
  return [...new Set(fieldsWithPattern().map(patternOf))]
}

function fieldWithPattern(pattern: string): DescField {
  const field = fieldsWithPattern().find((each) => patternOf(each) === pattern)
  if (field === undefined) throw new Error(`no field has the pattern ${pattern}`)
  return field
}

/** The texts of requests that have a most number of characters, with that. */
function textsWithLimit(): [name: string, field: DescField, most: number][] {
  const fields = messagesIn(requests).flatMap((desc) => desc.fields)
  return fields.flatMap((field) => {
    const { type } = getOption(field, fieldRules)
    const texts = type.case === 'repeated' ? type.value.items?.type : type
    if (texts?.case !== 'string' || texts.value.maxLen === 0n || isComputed(field)) return []
    return [[`${field.parent.name}.${field.name}`, field, Number(texts.value.maxLen)]]
  })
}
