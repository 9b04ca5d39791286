import type { ServiceImpl } from '@connectrpc/connect'
import type { TeamService } from '../../gen/svc/v2/team_pb.js'
import { TeamUserRole } from '../../gen/svc/v2/user_pb.js'
import * as domain from '../domain/team-member.js'
import { emptyResponse, listResponse } from './raw-json.js'
import { callContextOf } from './request-context.js'

export const teamMemberHandlers = {
  listTeamMembers: listResponse(domain.listTeamMembers),
  listUserTeams: listResponse(domain.listUserTeams),

  async getTeamMember(request, context) {
    const member = await domain.getTeamMember(callContextOf(context), request)
    context.responseHeader.set('etag', domain.teamMemberTagOf(member))
    return { data: memberToMessage(member) }
  },

  async setTeamMember(request, context) {
    // The limits let only numbers of roles through.
    const role = TeamUserRole[request.role] as domain.TeamMember['role']
    const member = await domain.setTeamMember(callContextOf(context), { ...request, role })
    context.responseHeader.set('etag', domain.teamMemberTagOf(member))
    return { data: memberToMessage(member) }
  },

  removeTeamMember: emptyResponse(domain.removeTeamMember),
} satisfies Partial<ServiceImpl<typeof TeamService>>

function memberToMessage({ role, expiresAt, ...member }: domain.TeamMember) {
  const end = expiresAt !== null && { expiresAt: expiresAt.toISOString() }
  return { ...member, role: TeamUserRole[role], ...end }
}
