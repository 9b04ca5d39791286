import type { FastifyRequest } from 'fastify'
import type { Prisma, PrismaClient } from '../../../gen/prisma/client.js'
import type { ActorKind, TeamUserRole } from '../../../gen/prisma/enums.js'
import { bearerOf, invalidBearer, Refusal } from '../peer-app.js'

/** Who calls, and what the caller may do in which teams. */
export interface Caller {
  readonly kind: Extract<ActorKind, 'API_KEY' | 'USER' | 'WORKER'>
  readonly id: string
  readonly name: string
  readonly organizationId: string
  /** The permissions in the whole organization; undefined if the caller reaches some teams only. */
  readonly permissions: readonly string[] | undefined
  readonly teams: ReadonlyMap<string, readonly string[]>
}

const reads = ['access:read', 'apps:read', 'tickets:read', 'entities:read', 'users:read', 'audit:read']
const writes = ['access:write', 'apps:write', 'tickets:write', 'users:write', 'ingestion:write']
const all = [...reads, ...writes]
const permissionsOfRole: Readonly<Record<TeamUserRole, readonly string[]>> = {
  MANAGER: all,
  BUILDER: [...reads, 'access:write', 'apps:write'],
  AGENT: [...reads, 'tickets:write'],
  CONTRIBUTOR: reads,
  VIEWER: reads,
}

/** Looks the bearer token up. Throws 401. */
export async function callerOf(prisma: PrismaClient, request: FastifyRequest): Promise<Caller> {
  const { kind, hash } = bearerOf(request)
  const where = { tokenHash: new Uint8Array(hash), expiresAt: { gt: new Date() } }
  return kind === 'key' ? keyOf(prisma, where) : userOf(prisma, where)
}

type TokenWhere = { readonly tokenHash: Uint8Array<ArrayBuffer>; readonly expiresAt: { readonly gt: Date } }

async function keyOf(prisma: PrismaClient, where: TokenWhere): Promise<Caller> {
  const apiKey = { id: true, name: true, kind: true, teamId: true, permissions: true, revokedAt: true } as const
  const session = await prisma.apiKeySession.findFirst({
    where,
    select: { organizationId: true, apiKey: { select: apiKey } },
  })
  if (session === null || session.apiKey.revokedAt !== null) throw invalidBearer()
  const { id, name, kind, teamId, permissions } = session.apiKey
  return {
    kind: kind === 'wk' ? 'WORKER' : 'API_KEY',
    id,
    name,
    organizationId: session.organizationId,
    permissions: teamId === null ? permissions : undefined,
    teams: new Map(teamId === null ? [] : [[teamId, permissions]]),
  }
}

async function userOf(prisma: PrismaClient, where: TokenWhere): Promise<Caller> {
  const membership = {
    userId: true,
    firstName: true,
    lastName: true,
    role: true,
    deactivatedAt: true,
    teamRoles: {
      where: { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
      select: { teamId: true, role: true },
    },
  } satisfies Prisma.MembershipSelect
  const token = await prisma.userToken.findFirst({
    where,
    select: { organizationId: true, membership: { select: membership } },
  })
  if (token === null || token.membership.deactivatedAt !== null) throw invalidBearer()
  const { userId, firstName, lastName, role, teamRoles } = token.membership
  const permissionsIn = (teamRole: TeamUserRole) => (role === 'ORG_GUEST' ? reads : permissionsOfRole[teamRole])
  return {
    kind: 'USER',
    id: userId,
    name: `${firstName} ${lastName}`.trim(),
    organizationId: token.organizationId,
    permissions: role === 'ORG_ADMIN' ? all : undefined,
    teams: new Map(teamRoles.map((each) => [each.teamId, permissionsIn(each.role)])),
  }
}

/** Throws 404 if the team of a resource is hidden from the caller, and 403 if the permission is missing there. */
export function requireIn(caller: Caller, teamId: string, permission: string, resource: string): void {
  const granted = caller.permissions ?? caller.teams.get(teamId)
  if (granted === undefined) throw notFound(resource)
  if (!granted.includes(permission)) throw missing(permission)
}

/** Throws 403 if the permission is missing in the organization. */
export function requireInOrganization(caller: Caller, permission: string): void {
  if (caller.permissions?.includes(permission) !== true) throw missing(permission)
}

/** The same for a list of a team, which must exist. */
export async function requireTeam(
  prisma: PrismaClient,
  caller: Caller,
  teamId: string,
  permission: string,
): Promise<void> {
  const { organizationId } = caller
  const where = { organizationId_id: { organizationId, id: teamId } }
  if ((await prisma.team.findUnique({ where, select: { id: true } })) === null) throw notFound(`team ${teamId}`)
  requireIn(caller, teamId, permission, `team ${teamId}`)
}

/** The error for a missing or hidden object. */
export function notFound(resource: string): Refusal {
  return new Refusal(404, 'not_found', `no ${resource}`)
}

function missing(permission: string): Refusal {
  return new Refusal(403, 'permission_denied', `this needs the permission ${permission}`)
}
