import type { WebhookSecretModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import { unendedAt } from './team-member.js'

/** What signs the requests to an endpoint: what is sealed as its secret. */
export interface SigningKeys {
  /** The key of the HMAC: `whsec_` and base64. */
  readonly secret: string
  /** An Ed25519 key (PKCS #8, DER) in base64, if its signatures are wanted. */
  readonly privateKey?: string
}

export function signingKeysText(keys: SigningKeys): string {
  return JSON.stringify(keys)
}

export function signingKeysFrom(text: string): SigningKeys {
  return JSON.parse(text)
}

export type SealedSecret = Pick<WebhookSecretModel, 'organizationId' | 'endpointId' | 'id' | 'sealed'>

/** The secrets of all organizations that still sign, in pages by their keys: those after one, at most so many. */
export function selectLiveSecrets(
  { models }: Tables,
  { now, after, rows }: { readonly now: Date; readonly after: SealedSecret | undefined; readonly rows: number },
): Promise<SealedSecret[]> {
  return models.webhookSecret.findMany({
    where: { AND: [unendedAt(now), after === undefined ? {} : isAfter(after)] },
    orderBy: [{ organizationId: 'asc' }, { endpointId: 'asc' }, { id: 'asc' }],
    take: rows,
    select: { organizationId: true, endpointId: true, id: true, sealed: true },
  })
}

/** Replaces a sealed text, unless it has already been replaced. */
export async function replaceSealed({ models }: Tables, secret: SealedSecret, sealed: string): Promise<void> {
  await models.webhookSecret.updateMany({ where: { ...secret }, data: { sealed } })
}

function isAfter({ organizationId, endpointId, id }: SealedSecret) {
  return {
    OR: [
      { organizationId: { gt: organizationId } },
      { organizationId, endpointId: { gt: endpointId } },
      { organizationId, endpointId, id: { gt: id } },
    ],
  }
}
