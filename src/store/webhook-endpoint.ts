import type { WebhookDisabledReason } from '../../gen/prisma/enums.js'
import type { WebhookEndpointModel, WebhookSecretModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { WebhookEndpointSchema } from '../../gen/svc/v2/webhook_endpoint_pb.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { unendedAt } from './team-member.js'

export const webhookEndpointStore = createStandardStore(
  declareResource(WebhookEndpointSchema, schema.WebhookEndpoint, 'w'),
)

export type EndpointKey = Pick<WebhookEndpointModel, 'organizationId' | 'id'>

/** An endpoint to which events are sent, and the position that it has reached. */
export type EnabledEndpoint = Awaited<ReturnType<typeof enabledEndpoints>>[number]

export function enabledEndpoints({ models }: Tables) {
  return models.webhookEndpoint.findMany({
    where: { status: 'ENABLED' },
    select: { organizationId: true, id: true, position: true, failingSince: true },
  })
}

/** Whether any organization has an endpoint, enabled or not. */
export async function hasEndpoints({ models }: Tables): Promise<boolean> {
  return (await models.webhookEndpoint.findFirst({ select: { id: true } })) !== null
}

export function countEndpoints({ models }: Tables, organizationId: string): Promise<number> {
  return models.webhookEndpoint.count({ where: { organizationId } })
}

export type EndpointTarget = NonNullable<Awaited<ReturnType<typeof findEndpointTarget>>>

/** Where an endpoint is, and its live secrets, sealed, the newest first; undefined if it was deleted. */
export async function findEndpointTarget({ models }: Tables, key: EndpointKey, now: Date) {
  const found = await models.webhookEndpoint.findUnique({
    where: { organizationId_id: key },
    select: {
      url: true,
      mode: true,
      failingSince: true,
      teamId: true,
      secrets: { where: unendedAt(now), orderBy: { createdAt: 'desc' }, select: { id: true, sealed: true } },
    },
  })
  return found ?? undefined
}

/** Stores a secret of an endpoint, and ends the others at a time; those that have expired or are lost are deleted. */
export async function addSecret(
  { models }: Tables,
  secret: Omit<WebhookSecretModel, 'expiresAt'>,
  { expireAt, lost }: { readonly expireAt: Date; readonly lost: readonly string[] },
): Promise<void> {
  const { organizationId, endpointId, createdAt } = secret
  const where = { organizationId, endpointId }
  const isOver = [{ expiresAt: { lte: createdAt } }, { id: { in: [...lost] } }]
  await models.webhookSecret.deleteMany({ where: { ...where, OR: isOver } })
  await models.webhookSecret.updateMany({ where: { ...where, expiresAt: null }, data: { expiresAt: expireAt } })
  await models.webhookSecret.create({ data: secret, select: { id: true } })
}

/** Notes since when an endpoint has only failed, unless that is known, or that it no longer does. */
export async function noteFailing({ models }: Tables, key: EndpointKey, failingSince: Date | null): Promise<void> {
  const where = { ...key, failingSince: failingSince === null ? { not: null } : null }
  await models.webhookEndpoint.updateMany({ where, data: { failingSince, version: { increment: 1 } } })
}

/** The state of an endpoint on which its disabling was decided. */
export type JudgedEndpoint = EndpointKey & Partial<Pick<WebhookEndpointModel, 'version' | 'url' | 'failingSince'>>

/** Disables an endpoint that is enabled and still as it was judged, and returns its team; undefined if it was not. */
export async function disableEndpoint(
  { models }: Tables,
  judged: JudgedEndpoint,
  disabledReason: WebhookDisabledReason,
): Promise<string | null | undefined> {
  const [disabled] = await models.webhookEndpoint.updateManyAndReturn({
    where: { ...judged, status: 'ENABLED' },
    data: { status: 'DISABLED', disabledReason, version: { increment: 1 } },
    select: { teamId: true },
  })
  return disabled?.teamId
}

/**
 * The maker of an endpoint, who created or last changed it, if still valid: an active member, or the live keys of a
 * chain. Undefined if there is no endpoint, or its maker is not known.
 */
export async function findEndpointMaker({ models }: Tables, { organizationId, id }: EndpointKey, now: Date) {
  const endpoint = await models.webhookEndpoint.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: { version: true, teamId: true, makerUserId: true, makerKeyId: true },
  })
  if (endpoint === null) return undefined
  const { version, teamId, makerUserId: userId, makerKeyId: keyId } = endpoint
  if (userId !== null) {
    const member = await models.membership.findUnique({
      where: { organizationId_userId: { organizationId, userId }, deactivatedAt: null },
      select: { role: true, teamRoles: { where: unendedAt(now), select: { teamId: true, role: true } } },
    })
    return { version, teamId, member, keys: [] }
  }
  if (keyId === null) return undefined
  const where = { organizationId_id: { organizationId, id: keyId } }
  const key = await models.apiKey.findUnique({ where, select: { chainId: true } })
  const keys = await models.apiKey.findMany({
    where: { organizationId, chainId: key?.chainId ?? keyId, revokedAt: null, ...unendedAt(now) },
    select: { teamId: true, permissions: true },
  })
  return { version, teamId, member: null, keys }
}

export type SealedSecret = Pick<WebhookSecretModel, 'organizationId' | 'endpointId' | 'id' | 'sealed'>

/** The secrets of all organizations that still sign: few, since an organization may have few endpoints. */
export function liveSecrets({ models }: Tables, now: Date): Promise<SealedSecret[]> {
  const select = { organizationId: true, endpointId: true, id: true, sealed: true }
  return models.webhookSecret.findMany({ where: unendedAt(now), select })
}

/** Replaces a sealed text, unless it has already been replaced. */
export async function replaceSealed({ models }: Tables, secret: SealedSecret, sealed: string): Promise<void> {
  await models.webhookSecret.updateMany({ where: { ...secret }, data: { sealed } })
}
