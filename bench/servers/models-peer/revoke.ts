import { createHash } from 'node:crypto'
import { parse } from 'node:querystring'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Prisma, type PrismaClient } from '../../../gen/prisma/client.js'
import { Refusal } from '../peer-app.js'
import { type Audited, auditEvent } from './audit.js'

const LIMIT = 5
const SPAN_MILLIS = 60_000
const GRID_MILLIS = 50

const body = {
  type: 'object',
  required: ['secret'],
  properties: { secret: { type: 'string', minLength: 1 } },
} as const

/** Adds `POST /v2/auth/revoke`. */
export function addRevokeRoute(app: FastifyInstance, prisma: PrismaClient): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, parse(String(text)))
  })
  app.post<{ Body: { secret: string } }>('/v2/auth/revoke', { schema: { body } }, async (request, reply) => {
    const retryAfterSeconds = await countAttempt(prisma, request.ip)
    if (retryAfterSeconds !== undefined) {
      const answer = { error: 'slow_down', error_description: `try again in ${retryAfterSeconds} seconds` }
      return reply.code(429).header('retry-after', retryAfterSeconds).send(answer)
    }
    // The time of the answer must not show whether the secret is one.
    const start = performance.now()
    await revoke(prisma, request.body.secret.trim(), request.id)
    const spent = performance.now() - start
    await delay(GRID_MILLIS * Math.ceil(spent / GRID_MILLIS) - spent)
    return reply.send()
  })
}

/** Counts an attempt of an address if it is allowed; otherwise returns the seconds until one is. */
async function countAttempt(prisma: PrismaClient, clientAddress: string): Promise<number | undefined> {
  for (let attempt = 0; attempt <= LIMIT; attempt++) {
    const now = Date.now()
    const stored = await prisma.revokeAttempt.findUnique({ where: { clientAddress } })
    const recent = (stored?.acceptedAt ?? []).filter((time) => time.getTime() >= now - SPAN_MILLIS)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= LIMIT) {
      return Math.max(1, Math.ceil((oldest.getTime() + SPAN_MILLIS - now) / 1000))
    }
    const acceptedAt = [...recent, new Date(now)]
    if (stored === null) {
      try {
        await prisma.revokeAttempt.create({ data: { clientAddress, acceptedAt } })
        return undefined
      } catch (error) {
        if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') throw error
      }
    } else {
      // Nothing is changed if another request was counted in between.
      const where = { clientAddress, acceptedAt: { equals: stored.acceptedAt } }
      if ((await prisma.revokeAttempt.updateMany({ where, data: { acceptedAt } })).count > 0) return undefined
    }
  }
  throw new Refusal(503, 'unavailable', 'too many requests of one address at once')
}

/** Ends the key with its chain, the access token or the user token that a text is, by the same queries for any text. */
async function revoke(prisma: PrismaClient, secret: string, requestId: string): Promise<void> {
  const hash = new Uint8Array(createHash('sha256').update(secret).digest())
  const at = new Date()
  await prisma.$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({
      where: { secretHash: hash },
      select: { chainId: true, organizationId: true },
    })
    const session = await tx.apiKeySession.findFirst({
      where: { tokenHash: hash },
      select: { organizationId: true, apiKeyId: true, apiKey: { select: { teamId: true } } },
    })
    const token = await tx.userToken.findFirst({
      where: { tokenHash: hash },
      select: { organizationId: true, userId: true },
    })
    const organizationId = key?.organizationId ?? session?.organizationId ?? token?.organizationId ?? ''
    const live = { organizationId, chainId: key?.chainId ?? '', revokedAt: null }
    const keys = await tx.apiKey.findMany({ where: live, select: { id: true, teamId: true } })
    await tx.apiKey.updateMany({ where: live, data: { revokedAt: at, revokedBy: 'LEAK_REPORT' } })
    await tx.apiKeySession.deleteMany({
      where: { organizationId, OR: [{ apiKeyId: { in: keys.map(({ id }) => id) } }, { tokenHash: hash }] },
    })
    await tx.userToken.deleteMany({ where: { organizationId, tokenHash: hash } })
    const events: Audited[] = keys.map(({ id: targetId, teamId }) => {
      return { action: 'api_key.revoke', targetType: 'api_key', targetId, teamId: teamId ?? '' }
    })
    if (session !== null) {
      const { apiKeyId: targetId, apiKey } = session
      events.push({ action: 'access_token.revoke', targetType: 'api_key', targetId, teamId: apiKey.teamId ?? '' })
    }
    if (token !== null) events.push({ action: 'user_token.revoke', targetType: 'user', targetId: token.userId })
    const anonymous = { kind: 'ANONYMOUS' as const, id: '', name: '', organizationId }
    await tx.auditEvent.createMany({ data: events.map((event) => auditEvent(anonymous, requestId, event)) })
  })
}
