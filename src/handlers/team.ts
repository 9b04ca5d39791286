import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  GetTeamMemberResponseSchema,
  ListTeamMembersResponseSchema,
  RemoveTeamMemberResponseSchema,
  SetTeamMemberResponseSchema,
  type TeamMember,
  TeamMemberSchema,
  type TeamService,
} from '../../gen/svc/v2/team_pb.js'
import { TeamUserRole } from '../../gen/svc/v2/user_pb.js'
import type { PageTokens } from '../domain/paging.js'
import * as domain from '../domain/team-member.js'
import { invalidField } from '../errors.js'
import { printedPage } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The methods of the service of teams that are about members. */
export function createTeamMemberHandlers({ pageTokens }: { readonly pageTokens: PageTokens }) {
  return {
    listTeamMembers: async (request, context) =>
      printedPage(ListTeamMembersResponseSchema, await domain.listTeamMembers(scopeOf(context), request, pageTokens)),

    async getTeamMember(request, context) {
      const member = await domain.getTeamMember(scopeOf(context), request)
      context.responseHeader.set('etag', domain.teamMemberTagOf(member))
      return create(GetTeamMemberResponseSchema, { data: memberToMessage(member) })
    },

    async setTeamMember(request, context) {
      const member = await domain.setTeamMember(scopeOf(context), { ...request, role: roleFrom(request.role) })
      context.responseHeader.set('etag', domain.teamMemberTagOf(member))
      return create(SetTeamMemberResponseSchema, { data: memberToMessage(member) })
    },

    async removeTeamMember(request, context) {
      await domain.removeTeamMember(scopeOf(context), request)
      return create(RemoveTeamMemberResponseSchema)
    },
  } satisfies Partial<ServiceImpl<typeof TeamService>>
}

/** The role of a request, which may be a number without a name. */
function roleFrom(role: TeamUserRole): domain.TeamMember['role'] {
  const name = TeamUserRole[role]
  if (name === undefined || name === 'UNSPECIFIED') throw invalidField('role', 'is unknown: send the name of a role')
  return name as domain.TeamMember['role']
}

function memberToMessage({ teamId, userId, role, expiresAt }: domain.TeamMember): TeamMember {
  return create(TeamMemberSchema, {
    teamId,
    userId,
    role: TeamUserRole[role],
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
  })
}
