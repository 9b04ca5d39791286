import type { ServiceImpl } from '@connectrpc/connect'
import { ErrorReason } from '../../gen/svc/v2/error_reason_pb.js'
import {
  FieldOwner,
  type UpdateUserRequest,
  UserProfileField,
  UserRole,
  type UserService,
  type UserUpdate as UserUpdateMessage,
  UserUpdateOutcome,
} from '../../gen/svc/v2/user_pb.js'
import { type FieldChange, skippedFields } from '../domain/profile/field-ownership.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import { deleteDepartmentOption } from '../domain/user/department-option.js'
import {
  createUser,
  deactivateUser,
  endUserSessions,
  getUser,
  listUserSessions,
  type NewUser,
  reactivateUser,
  type UserUpdate,
  updateUser,
} from '../domain/user/user.js'
import { batchUpdateUsers, type UserUpdateResult } from '../domain/user/user-batch.js'
import { listDepartmentOptions, listUsers } from '../domain/user/user-list.js'
import type { ServiceError } from '../errors.js'
import { type HandlerTools, nameOf, type Tally } from './handler-tools.js'
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
        role: nameOf(UserRole, request.role) ?? 'ORG_MEMBER',
        profile: profileInputFrom(request),
        pinFields: fieldsFrom(request.pinFields),
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

    async listUserSessions({ userId }, context) {
      return { data: await listUserSessions(callContextOf(context), userId) }
    },

    async listUsers(request, context) {
      const [field, owner] = [nameOf(UserProfileField, request.field), nameOf(FieldOwner, request.owner)]
      const query = { ...request, field, owner, role: nameOf(UserRole, request.role) }
      return rawJsonList(context, await listUsers(callContextOf(context), query))
    },

    async listDepartmentOptions(_request, context) {
      return rawJson(context, await listDepartmentOptions(callContextOf(context)))
    },
  }
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

function fieldsFrom(values: readonly UserProfileField[]) {
  return values.flatMap((value) => nameOf(UserProfileField, value) ?? [])
}

function updateFrom(message: UserUpdateMessage | UpdateUserRequest): UserUpdate {
  return {
    userId: message.id,
    email: message.email,
    role: nameOf(UserRole, message.role ?? UserRole.UNSPECIFIED),
    profile: profileInputFrom(message),
    pinFields: fieldsFrom(message.pinFields),
    releaseFields: fieldsFrom(message.releaseFields),
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

export function refusalToMessage({ reason, message, metadata }: ServiceError) {
  return { reason: ErrorReason[reason], message, metadata: { ...metadata } }
}
