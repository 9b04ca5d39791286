import type { ServiceImpl } from '@connectrpc/connect'
import { ErrorReason } from '../../gen/svc/v2/error_reason_pb.js'
import {
  CreateUserResponseSchema,
  DeactivateUserResponseSchema,
  FieldOwner,
  GetUserResponseSchema,
  ListDepartmentOptionsResponseSchema,
  ListUsersResponseSchema,
  ReactivateUserResponseSchema,
  type UpdateUserRequest,
  UpdateUserResponseSchema,
  UserRole as UserRoleMessage,
  type UserService,
  type UserUpdate as UserUpdateMessage,
  UserUpdateOutcome,
} from '../../gen/svc/v2/user_pb.js'
import type { PageTokens } from '../domain/paging.js'
import { fieldOwners } from '../domain/profile/field-ownership.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import {
  createUser,
  endUserSessions,
  getUser,
  type NewUser,
  setUserActive,
  type UserUpdate,
  updateUser,
} from '../domain/user/user.js'
import { batchUpdateUsers, type UserUpdateResult } from '../domain/user/user-batch.js'
import { listDepartmentOptions, listUsers } from '../domain/user/user-list.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { printedAnswer, printedPage } from './printed-answer.js'
import { governedFieldsFrom, skippedFieldsToMessage } from './profile-field.js'
import { scopeOf } from './request-context.js'
import type { Tally } from './tally.js'

/** What the service of users needs. */
export interface UserHandlersOptions {
  readonly pageTokens: PageTokens
  readonly tally?: Tally | undefined
}

/** The service of users. */
export function createUserHandlers({ pageTokens, tally }: UserHandlersOptions): ServiceImpl<typeof UserService> {
  return {
    async updateUser(request, context) {
      const { json, skipped } = await updateUser(scopeOf(context), updateFrom(request))
      tally?.fieldsSkipped(skipped)
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(UpdateUserResponseSchema, json, skippedFieldsToMessage(skipped))
    },

    async batchUpdateUsers({ users, validateOnly }, context) {
      const results = await batchUpdateUsers(scopeOf(context), users.map(updateFrom), validateOnly)
      if (!validateOnly) for (const { skipped } of results) tally?.fieldsSkipped(skipped)
      return { data: results.map(resultToMessage) }
    },

    async createUser(request, context) {
      const user: NewUser = {
        email: request.email,
        role: roles[request.role],
        profile: profileInputFrom(request),
        pinFields: governedFieldsFrom(request.pinFields),
      }
      const created = await createUser(scopeOf(context), user)
      context.responseHeader.set('etag', entityTagOf(created))
      return printedAnswer(CreateUserResponseSchema, created)
    },

    async deactivateUser({ id }, context) {
      const { json } = await setUserActive(scopeOf(context), id, false)
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(DeactivateUserResponseSchema, json)
    },

    async reactivateUser({ id }, context) {
      const { json } = await setUserActive(scopeOf(context), id, true)
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(ReactivateUserResponseSchema, json)
    },

    async endUserSessions({ id }, context) {
      await endUserSessions(scopeOf(context), id)
      return {}
    },

    async getUser(request, context) {
      const user = await getUser(scopeOf(context), request.id)
      context.responseHeader.set('etag', entityTagOf(user))
      return printedAnswer(GetUserResponseSchema, user)
    },

    async listUsers(request, context) {
      const [field] = governedFieldsFrom([request.field])
      const owner = fieldOwners.find((each) => FieldOwner[each] === request.owner)
      const role = request.role === UserRoleMessage.UNSPECIFIED ? undefined : roles[request.role]
      const page = await listUsers(scopeOf(context), { ...request, field, owner, role }, pageTokens)
      return printedPage(ListUsersResponseSchema, page)
    },

    async listDepartmentOptions(_request, context) {
      const departments = await listDepartmentOptions(scopeOf(context))
      return printedAnswer(ListDepartmentOptionsResponseSchema, departments)
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

function resultToMessage({ userId, outcome, changedFields, skipped, refusal }: UserUpdateResult) {
  return {
    userId,
    outcome: UserUpdateOutcome[outcome],
    changedFields: [...changedFields],
    ...skippedFieldsToMessage(skipped),
    ...(refusal !== undefined && {
      refusal: { reason: ErrorReason[refusal.reason], message: refusal.message, metadata: { ...refusal.metadata } },
    }),
  }
}
