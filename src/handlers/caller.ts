import type { ServiceImpl } from '@connectrpc/connect'
import { CredentialKind } from '../../gen/svc/v2/access_pb.js'
import type { CallerService } from '../../gen/svc/v2/caller_pb.js'
import { TeamUserRole, UserRole } from '../../gen/svc/v2/user_pb.js'
import { getCaller } from '../domain/caller/caller-details.js'
import { scopeOf } from './request-context.js'

/** The service that tells callers who they are. */
export const callerHandlers: ServiceImpl<typeof CallerService> = {
  async getCaller(_request, context) {
    const { kind, id, name, organizationId, role, permissions, teams, expiresAt } = await getCaller(scopeOf(context))
    return {
      data: {
        kind: CredentialKind[kind],
        id,
        name,
        organizationId,
        role: UserRole[role ?? 'UNSPECIFIED'],
        permissions: [...permissions],
        teams: teams.map((team) => ({
          ...team,
          role: TeamUserRole[team.role ?? 'UNSPECIFIED'],
          permissions: [...team.permissions],
        })),
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      },
    }
  },
}
