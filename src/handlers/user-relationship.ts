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
import { type ManagerRelationship, relationshipTagOf } from '../domain/user/manager.js'
import { getManager, writeManager } from '../domain/user/user-relationship.js'
import { skippedFieldsToMessage } from './profile-field.js'
import { scopeOf } from './request-context.js'
import type { Tally } from './tally.js'

/** The service of relationships between users. */
export function createUserRelationshipHandlers({
  tally,
}: {
  readonly tally?: Tally | undefined
}): ServiceImpl<typeof UserRelationshipService> {
  return {
    async createUserRelationship(request, context) {
      const { userId, relatedUserId: managerUserId, pin } = request
      const { relationship, skipped } = await writeManager(scopeOf(context), { userId, managerUserId, pin })
      tally?.fieldsSkipped(skipped)
      if (relationship !== undefined) context.responseHeader.set('etag', relationshipTagOf(relationship))
      return create(CreateUserRelationshipResponseSchema, {
        ...(relationship !== undefined && { data: relationshipToMessage(relationship) }),
        ...skippedFieldsToMessage(skipped),
      })
    },

    async deleteUserRelationship({ userId, pin }, context) {
      const { skipped } = await writeManager(scopeOf(context), { userId, managerUserId: '', pin })
      tally?.fieldsSkipped(skipped)
      return create(DeleteUserRelationshipResponseSchema, skippedFieldsToMessage(skipped))
    },

    async getUserRelationship(request, context) {
      const relationship = await getManager(scopeOf(context), request.userId)
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
