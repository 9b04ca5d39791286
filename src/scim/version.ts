import { acceptedVersionsFrom, requireAcceptedVersion } from '../domain/value/entity-tag.js'
import type { WriteContext } from '../runtime/write-context.js'
import { versionOf } from './common-attributes.js'
import type { ScimAnswer, ScimRequest } from './request.js'

/** Throws `ETAG_MISMATCH` for a resource in another version than an `If-Match` accepts. */
export function requireVersion(
  { ifMatch }: Pick<WriteContext, 'ifMatch'>,
  row: { readonly version: string },
  resource: { readonly resourceType: string; readonly resourceId: string },
): void {
  const accepted = acceptedVersionsFrom(ifMatch)
  if (accepted === undefined) return
  requireAcceptedVersion(accepted === 'any' ? accepted : accepted.map(withoutWeakness), versionOf(row), resource)
}

/** The answer, or 304 if the `If-None-Match` of the request names its version. */
export function unlessKnown({ ifNoneMatch }: Pick<ScimRequest, 'ifNoneMatch'>, answer: ScimAnswer): ScimAnswer {
  const etag = answer.headers?.['etag'] ?? ''
  const tags = ifNoneMatch?.split(',').map((tag) => withoutWeakness(tag.trim())) ?? []
  return tags.includes('*') || tags.includes(etag) ? { status: 304, headers: { etag } } : answer
}

/** SCIM's examples have weak tags, which some clients make of every tag. */
function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, '')
}
