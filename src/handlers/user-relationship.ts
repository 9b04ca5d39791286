import type { ServiceImpl } from '@connectrpc/connect'
import { type UserRelationshipService, UserRelationshipType } from '../../gen/svc/v2/user_relationship_pb.js'
import { type ManagerRelationship, relationshipTagOf } from '../domain/user/manager.js'
import { getManager, writeManager } from '../domain/user/user-relationship.js'
import type { HandlerTools } from './handler-tools.js'
import { callContextOf } from './request-context.js'
import { countSkippedFields } from './user.js'

export function createUserRelationshipHandlers({ tally }: HandlerTools): ServiceImpl<typeof UserRelationshipService> {
  return {
    async createUserRelationship(request, context) {
      const { userId, relatedUserId: managerUserId, pin } = request
      const { relationship, changes } = await writeManager(callContextOf(context), { userId, managerUserId, pin })
      if (relationship !== undefined) context.responseHeader.set('etag', relationshipTagOf(relationship))
      const data = relationship && relationshipToMessage(relationship)
      return { ...(data && { data }), ...countSkippedFields(changes, tally) }
    },

    async deleteUserRelationship({ userId, pin }, context) {
      const { changes } = await writeManager(callContextOf(context), { userId, managerUserId: '', pin })
      return countSkippedFields(changes, tally)
    },

    async getUserRelationship(request, context) {
      const relationship = await getManager(callContextOf(context), request.userId)
      context.responseHeader.set('etag', relationshipTagOf(relationship))
      return { data: relationshipToMessage(relationship) }
    },
  }
}

function relationshipToMessage({ userId, managerUserId, createdAt }: ManagerRelationship) {
  const relationshipType = UserRelationshipType.MANAGER
  return { userId, relatedUserId: managerUserId, relationshipType, createdAt: createdAt.toISOString() }
}
