import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  CreateUserRelationshipResponseSchema,
  DeleteUserRelationshipResponseSchema,
  GetUserRelationshipResponseSchema,
  type UserRelationship,
  UserRelationshipSchema,
  type UserRelationshipService,
  UserRelationshipType,
} from '../../gen/svc/v2/user_relationship_pb.js'
import type { PreparedStore } from '../db/queryable.js'
import { type ManagerRelationship, relationshipTagOf } from '../domain/user/manager-relationship.js'
import { assignManager, clearManager, getManager } from '../domain/user/user-relationship.js'
import type { Runtime } from '../runtime/runtime.js'
import { databaseOf } from './call-database.js'
import { storeOf } from './idempotency.js'
import { skippedFieldsToMessage } from './profile-field.js'
import { callerOf } from './request-context.js'
import type { Tally } from './tally.js'
import { writeContextOf } from './write-context.js'

/** The service of relationships between users. */
export function createUserRelationshipHandlers({
  database,
  runtime,
  tally,
}: {
  readonly database: PreparedStore
  readonly runtime: Runtime
  readonly tally?: Tally | undefined
}): ServiceImpl<typeof UserRelationshipService> {
  return {
    async createUserRelationship(request, context) {
      const { relationship, skipped } = await assignManager(
        storeOf(context, database),
        callerOf(context),
        { userId: request.userId, managerUserId: request.relatedUserId, pin: request.pin },
        writeContextOf(runtime, context),
      )
      tally?.fieldsSkipped(skipped)
      if (relationship !== undefined) context.responseHeader.set('etag', relationshipTagOf(relationship))
      return create(CreateUserRelationshipResponseSchema, {
        ...(relationship !== undefined && { data: relationshipToMessage(relationship) }),
        ...skippedFieldsToMessage(skipped),
      })
    },

    async deleteUserRelationship(request, context) {
      const { userId, pin } = request
      const write = { userId, pin }
      const { skipped } = await clearManager(
        storeOf(context, database),
        callerOf(context),
        write,
        writeContextOf(runtime, context),
      )
      tally?.fieldsSkipped(skipped)
      return create(DeleteUserRelationshipResponseSchema, skippedFieldsToMessage(skipped))
    },

    async getUserRelationship(request, context) {
      const relationship = await getManager(databaseOf(context, database), callerOf(context), request.userId)
      context.responseHeader.set('etag', relationshipTagOf(relationship))
      return create(GetUserRelationshipResponseSchema, { data: relationshipToMessage(relationship) })
    },
  }
}

function relationshipToMessage({ userId, managerUserId, createdAt }: ManagerRelationship): UserRelationship {
  return create(UserRelationshipSchema, {
    userId,
    relatedUserId: managerUserId,
    relationshipType: UserRelationshipType.MANAGER,
    createdAt: createdAt.toISOString(),
  })
}
