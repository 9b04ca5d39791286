import { type DescField, getOption } from '@bufbuild/protobuf'
import { field as fieldRules } from '../../gen/buf/validate/validate_pb.js'
import { CreateAccessPolicyApprovalProcedureRequestSchema as CreateProcedureSchema } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { GroupRecordSchema, UserRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { limit } from '../../gen/svc/v2/limit_pb.js'
import { ListUsersRequestSchema, UpdateUserRequestSchema } from '../../gen/svc/v2/user_pb.js'

// The limits of the schema that the rules need to know.

/** The most entries in a page, and the default size of a page. */
export const MAX_PAGE_SIZE = getOption(ListUsersRequestSchema.field.pageSize, limit).zeroIs

/** How many entries a page has by default, in lists that declare no more than others. */
export const USUAL_PAGE_SIZE = 100

/** The most entries in a page of a list whose pages have `usual` by default. */
export function maxPageSize(usual: number): number {
  return Math.max(usual, 1_000)
}

/** How long a step waits for a decision by default, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = getOption(CreateProcedureSchema.field.timeoutSeconds, limit).zeroIs

/** The most steps of a procedure, counted over all of its stages. */
export const MAX_STEPS = maxItems(CreateProcedureSchema.field.steps)

/** The longest URL, as received and as stored. */
export const MAX_URL_LENGTH = Number(textRulesOf(UpdateUserRequestSchema.field.avatarUrl).maxLen)

/** The most characters of the name of a group that a directory supplies. */
export const MAX_GROUP_NAME = Number(textRulesOf(GroupRecordSchema.field.name).maxLen)

/** The most characters of a profile text or an email address, by its name in the API. Throws for other names. */
export function profileTextLength(name: string): number {
  const length = profileTextLengths.get(name)
  if (length === undefined) throw new Error(`profiles have no text field ${name}`)
  return length
}

const profileTextLengths = new Map(
  UserRecordSchema.fields
    .filter((field) => getOption(field, fieldRules).type.case === 'string')
    .map((field) => [field.localName, Number(textRulesOf(field).maxLen)] as const),
)

/** The rules of a field that is a text. Throws for any other. */
export function textRulesOf(field: DescField) {
  const { type } = getOption(field, fieldRules)
  if (type.case !== 'string') throw new Error(`${field.parent.typeName}.${field.name} has no string rules`)
  return type.value
}

function maxItems(field: DescField): number {
  const { type } = getOption(field, fieldRules)
  if (type.case !== 'repeated') throw new Error(`${field.parent.typeName}.${field.name} has no list rules`)
  return Number(type.value.maxItems)
}
