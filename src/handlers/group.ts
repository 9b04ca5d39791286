import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  AddGroupMemberResponseSchema,
  type GroupService,
  RemoveGroupMemberResponseSchema,
} from '../../gen/svc/v2/group_pb.js'
import { listGroupMembers, writeGroupMember } from '../domain/group.js'
import type { PageTokens } from '../domain/paging.js'
import { scopeOf } from './request-context.js'

/** The methods of the service of groups that are about members. */
export function createGroupMemberHandlers({ pageTokens }: { readonly pageTokens: PageTokens }) {
  return {
    listGroupMembers: (request, context) => listGroupMembers(scopeOf(context), request, pageTokens),

    async addGroupMember({ groupId, userId }, context) {
      await writeGroupMember(scopeOf(context), { groupId, userId }, true)
      return create(AddGroupMemberResponseSchema, { data: { groupId, userId } })
    },

    async removeGroupMember(member, context) {
      await writeGroupMember(scopeOf(context), member, false)
      return create(RemoveGroupMemberResponseSchema)
    },
  } satisfies Partial<ServiceImpl<typeof GroupService>>
}
