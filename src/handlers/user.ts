import type { ServiceImpl } from '@connectrpc/connect'
import {
  CreateUserResponseSchema,
  GetUserResponseSchema,
  ListDepartmentOptionsResponseSchema,
  ListUsersResponseSchema,
  UpdateUserResponseSchema,
  UserRole as UserRoleMessage,
  type UserService,
} from '../../gen/svc/v2/user_pb.js'
import type { PageTokens } from '../domain/paging.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import { createUser, getUser, type NewUser, updateUser } from '../domain/user/user.js'
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
      const update = {
        userId: request.id,
        email: request.email,
        role: request.role === undefined ? undefined : roles[request.role],
        profile: profileInputFrom(request),
        pinFields: governedFieldsFrom(request.pinFields),
        releaseFields: governedFieldsFrom(request.releaseFields),
      }
      const { json, skipped } = await updateUser(scopeOf(context), update)
      tally?.fieldsSkipped(skipped)
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(UpdateUserResponseSchema, json, skippedFieldsToMessage(skipped))
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

    async getUser(request, context) {
      const user = await getUser(scopeOf(context), request.id)
      context.responseHeader.set('etag', entityTagOf(user))
      return printedAnswer(GetUserResponseSchema, user)
    },

    async listUsers(request, context) {
      const page = await listUsers(scopeOf(context), request, pageTokens)
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
