import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Prisma, type PrismaClient } from '../../../gen/prisma/client.js'
import { Refusal } from '../peer-app.js'
import { auditEvent } from './audit.js'
import { type Caller, callerOf, requireInOrganization } from './caller.js'
import { decideWrite } from './profile.js'
import { failedPrecondition, lockMember } from './users.js'

const relationshipType = { enum: ['USER_RELATIONSHIP_TYPE_UNSPECIFIED', 'USER_RELATIONSHIP_TYPE_MANAGER'] } as const
const userId = { type: 'string', minLength: 1, maxLength: 128 } as const

const assignBody = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'relatedUserId'],
  properties: { userId, relatedUserId: userId, relationshipType, pin: { type: 'boolean' } },
} as const

const clearQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { relationshipType, pin: { type: 'boolean' } },
} as const

interface Pin {
  readonly pin?: boolean
}

interface AssignBody extends Pin {
  readonly userId: string
  readonly relatedUserId: string
}

/** Adds `POST /v2/user-relationships` and `DELETE /v2/user-relationships/{user_id}`. */
export function addRelationshipRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.post<{ Body: AssignBody }>('/v2/user-relationships', { schema: { body: assignBody } }, async (request) => {
    const caller = await callerOf(prisma, request)
    requireInOrganization(caller, 'users:write')
    const { relatedUserId: manager, pin, userId } = request.body
    const write = { userId, manager, pin, action: 'user_relationship.create', requestId: request.id }
    // Two assignments at once could make a circle that neither of them sees.
    return retried(() =>
      prisma.$transaction((tx) => writeManager(tx, caller, write), { isolationLevel: 'Serializable' }),
    )
  })

  app.delete<{ Params: { userId: string }; Querystring: Pin }>(
    '/v2/user-relationships/:userId',
    { schema: { querystring: clearQuery } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      requireInOrganization(caller, 'users:write')
      const { userId } = request.params
      const { pin } = request.query
      const write = { userId, manager: '', pin, action: 'user_relationship.delete', requestId: request.id }
      const { data: _data, ...skipped } = await prisma.$transaction((tx) => writeManager(tx, caller, write))
      return skipped
    },
  )
}

interface ManagerWrite {
  readonly userId: string
  /** Empty to clear. */
  readonly manager: string
  readonly pin: boolean | undefined
  readonly action: string
  readonly requestId: string
}

async function writeManager(
  tx: Prisma.TransactionClient,
  caller: Caller,
  { userId, manager, pin, action, requestId }: ManagerWrite,
) {
  const { organizationId } = caller
  const now = new Date()
  const member = await lockMember(tx, caller, userId, now)
  if (manager !== '') await requireManager(tx, organizationId, userId, manager)
  const write = { isPerson: caller.kind === 'USER', values: new Map([['manager' as const, manager]]), pin }
  const { data, changes, ...skipped } = decideWrite(member, write, now)
  const { managerUserId, managerAssignedAt } = await tx.membership.update({
    where: { organizationId_userId: { organizationId, userId } },
    data,
    select: { managerUserId: true, managerAssignedAt: true },
  })
  const audited = { action, targetType: 'user', targetId: userId, changes }
  await tx.auditEvent.create({ data: auditEvent(caller, requestId, audited), select: { id: true } })
  const relationship = {
    userId,
    relatedUserId: managerUserId,
    relationshipType: 'USER_RELATIONSHIP_TYPE_MANAGER',
    createdAt: managerAssignedAt,
  }
  return { ...(managerUserId !== null && { data: relationship }), ...skipped }
}

/** Walks up from the manager: throws if there is no such user, or if the user is among those above. */
async function requireManager(
  tx: Prisma.TransactionClient,
  organizationId: string,
  userId: string,
  manager: string,
): Promise<void> {
  const seen = new Set<string>()
  for (let above: string | null = manager; above !== null && !seen.has(above); ) {
    if (above === userId) throw failedPrecondition('nobody can be above themselves')
    seen.add(above)
    const found: { readonly managerUserId: string | null } | null = await tx.membership.findUnique({
      where: { organizationId_userId: { organizationId, userId: above } },
      select: { managerUserId: true },
    })
    if (found === null) throw new Refusal(400, 'invalid_argument', `no user ${above} in the organization`)
    above = found.managerUserId
  }
}

const MAX_ATTEMPTS = 10

/** Does it again if PostgreSQL could not serialize it: Prisma says so of a statement, the adapter of a commit. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isConflict =
        (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034') ||
        (error instanceof Error && error.message.includes('TransactionWriteConflict'))
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error
      await delay(Math.random() * 10 * attempt)
    }
  }
}
