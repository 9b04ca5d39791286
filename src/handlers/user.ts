import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  CreateUserResponseSchema,
  DepartmentOptionSchema,
  GetUserResponseSchema,
  ListDepartmentOptionsResponseSchema,
  ListUsersResponseSchema,
  UpdateUserResponseSchema,
  UserRole as UserRoleMessage,
  UserSchema,
  type UserService,
} from '../../gen/svc/v2/user_pb.js'
import type { Store } from '../db/queryable.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { listDepartmentOptions } from '../domain/user/department-option.js'
import { createUser, getUser, type NewUser } from '../domain/user/user.js'
import { listUsers } from '../domain/user/user-list.js'
import { updateUser } from '../domain/user/user-update.js'
import { invalidField } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import { betweenTurns, listOfPrinted, type PreprintOptions, readAtOnce } from './preprint-list.js'
import { governedFieldsFrom, profileInputFrom, skippedFieldsToMessage } from './profile-field.js'
import { callerOf } from './request-context.js'
import { userToMessage } from './user-message.js'
import { writeContextOf } from './write-context.js'

/** What the service of users needs. */
export interface UserHandlersOptions extends PreprintOptions {
  readonly database: Store
  readonly runtime: Runtime
  readonly pageTokens: PageTokens
}

/** The service of users. */
export function createUserHandlers({
  database,
  runtime,
  pageTokens,
  preprintList = readAtOnce,
}: UserHandlersOptions): ServiceImpl<typeof UserService> {
  return {
    async updateUser(request, context) {
      const update = {
        userId: request.id,
        email: request.email,
        role: request.role === undefined ? undefined : roleFrom(request.role),
        profile: profileInputFrom(request),
        pinFields: governedFieldsFrom('pinFields', request.pinFields),
        releaseFields: governedFieldsFrom('releaseFields', request.releaseFields),
      }
      const { member, skipped } = await updateUser(
        database,
        callerOf(context),
        update,
        writeContextOf(runtime, context),
      )
      return create(UpdateUserResponseSchema, { data: userToMessage(member), ...skippedFieldsToMessage(skipped) })
    },

    async createUser(request, context) {
      const user: NewUser = {
        email: request.email,
        role: request.role === UserRoleMessage.UNSPECIFIED ? 'ORG_MEMBER' : roleFrom(request.role),
        profile: profileInputFrom(request),
        pinFields: governedFieldsFrom('pinFields', request.pinFields),
      }
      const member = await createUser(database, callerOf(context), user, writeContextOf(runtime, context))
      return create(CreateUserResponseSchema, { data: userToMessage(member) })
    },

    async getUser(request, context) {
      const member = await getUser(database, callerOf(context), request.id)
      return create(GetUserResponseSchema, { data: userToMessage(member) })
    },

    async listUsers(request, context) {
      const { text, nextPageToken } = await listUsers(database, callerOf(context), request, pageTokens)
      await betweenTurns(text)
      const response = create(ListUsersResponseSchema, { nextPageToken })
      response.data = listOfPrinted(UserSchema, text, preprintList)
      return response
    },

    async listDepartmentOptions(_request, context) {
      const options = await listDepartmentOptions(database, callerOf(context))
      return create(ListDepartmentOptionsResponseSchema, {
        data: options.map((option) => create(DepartmentOptionSchema, option)),
      })
    },
  }
}

const roles = ['ORG_ADMIN', 'ORG_MEMBER', 'ORG_GUEST'] as const

/** Throws `FIELD_INVALID` for `UNSPECIFIED` and for numbers that this build does not know. */
function roleFrom(value: UserRoleMessage): NewUser['role'] {
  const role = roles.find((known) => UserRoleMessage[known] === value)
  if (role === undefined) {
    throw invalidField('role', `must be one of ${roles.map((known) => `USER_ROLE_${known}`).join(', ')}`)
  }
  return role
}
