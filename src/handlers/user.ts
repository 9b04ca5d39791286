import type { ServiceImpl } from '@connectrpc/connect'
import { ErrorReason } from '../../gen/svc/v2/error_reason_pb.js'
import {
  FieldOwner,
  type UpdateUserRequest,
  UserProfileField,
  UserRole as UserRoleMessage,
  type UserService,
  type UserUpdate as UserUpdateMessage,
  UserUpdateOutcome,
} from '../../gen/svc/v2/user_pb.js'
import {
  type FieldChange,
  fieldOwners,
  type GovernedField,
  governedFields,
  skippedFields,
} from '../domain/profile/field-ownership.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import { deleteDepartmentOption } from '../domain/user/department-option.js'
import {
  createUser,
  deactivateUser,
  endUserSessions,
  getUser,
  type NewUser,
  reactivateUser,
  type UserUpdate,
  updateUser,
} from '../domain/user/user.js'
import { batchUpdateUsers, type UserUpdateResult } from '../domain/user/user-batch.js'
import { listDepartmentOptions, listUsers } from '../domain/user/user-list.js'
import type { ServiceError } from '../errors.js'
import type { HandlerTools, Tally } from './handler-tools.js'
import { emptyResponse, rawJson, rawJsonList, rawJsonWithEtag, withEtag } from './raw-json.js'
import { callContextOf } from './request-context.js'

export function createUserHandlers({ tally }: HandlerTools): ServiceImpl<typeof UserService> {
  return {
    async updateUser(request, context) {
      const { user, changes } = await updateUser(callContextOf(context), updateFrom(request))
      return rawJsonWithEtag(context, user, countSkippedFields(changes, tally))
    },

    async batchUpdateUsers({ users, validateOnly }, context) {
      const results = await batchUpdateUsers(callContextOf(context), users.map(updateFrom), validateOnly)
      return { data: results.map((result) => resultToMessage(result, validateOnly ? undefined : tally)) }
    },

    async createUser(request, context) {
      const user: NewUser = {
        email: request.email,
        role: roles[request.role],
        profile: profileInputFrom(request),
        pinFields: governedFieldsFrom(request.pinFields),
      }
      return rawJsonWithEtag(context, await createUser(callContextOf(context), user))
    },

    async deactivateUser({ id }, context) {
      const { user, activeApiKeyCount } = await deactivateUser(callContextOf(context), id)
      return rawJsonWithEtag(context, user, { activeApiKeyCount })
    },
    reactivateUser: withEtag((callContext, { id }) => reactivateUser(callContext, id)),
    getUser: withEtag((callContext, { id }) => getUser(callContext, id)),

    deleteDepartmentOption: emptyResponse((callContext, { id }) => deleteDepartmentOption(callContext, id)),
    endUserSessions: emptyResponse((callContext, { id }) => endUserSessions(callContext, id)),

    async listUsers(request, context) {
      const [field] = governedFieldsFrom([request.field])
      const owner = fieldOwners.find((each) => FieldOwner[each] === request.owner)
      const role = request.role === UserRoleMessage.UNSPECIFIED ? undefined : roles[request.role]
      const page = await listUsers(callContextOf(context), { ...request, field, owner, role })
      return rawJsonList(context, page)
    },

    async listDepartmentOptions(_request, context) {
      return rawJson(context, await listDepartmentOptions(callContextOf(context)))
    },
  }
}

/** The roles of requests; the default is that of a member. */
const roles: Readonly<Record<UserRoleMessage, NewUser['role']>> = {
  [UserRoleMessage.UNSPECIFIED]: 'ORG_MEMBER',
  [UserRoleMessage.ORG_ADMIN]: 'ORG_ADMIN',
  [UserRoleMessage.ORG_MEMBER]: 'ORG_MEMBER',
  [UserRoleMessage.ORG_GUEST]: 'ORG_GUEST',
}

function governedFieldsFrom(values: readonly UserProfileField[]): GovernedField[] {
  return values.flatMap((value) => governedFields.find((known) => UserProfileField[known] === value) ?? [])
}

/** Counts the fields that a write left alone, and returns the two lists of them that every answer has. */
export function countSkippedFields(changes: readonly FieldChange[], tally: Tally | undefined) {
  const skipped = skippedFields(changes)
  tally?.fieldsSkipped(skipped)
  const { pinned, directoryLocked } = skipped
  return {
    skippedPinnedFields: pinned.map((field) => UserProfileField[field]),
    skippedDirectoryLockedFields: directoryLocked.map((field) => UserProfileField[field]),
  }
}

function updateFrom(message: UserUpdateMessage | UpdateUserRequest): UserUpdate {
  return {
    userId: message.id,
    email: message.email,
    role: message.role === undefined ? undefined : roles[message.role],
    profile: profileInputFrom(message),
    pinFields: governedFieldsFrom(message.pinFields),
    releaseFields: governedFieldsFrom(message.releaseFields),
  }
}

function resultToMessage(
  { userId, outcome, changedFields, changes, refusal }: UserUpdateResult,
  tally: Tally | undefined,
) {
  return {
    userId,
    outcome: UserUpdateOutcome[outcome],
    changedFields: [...changedFields],
    ...countSkippedFields(changes, tally),
    ...(refusal !== undefined && { refusal: refusalToMessage(refusal) }),
  }
}

/** Why one of several was refused. */
export function refusalToMessage({ reason, message, metadata }: ServiceError) {
  return { reason: ErrorReason[reason], message, metadata: { ...metadata } }
}
