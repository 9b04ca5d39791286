import { acceptedVersionsFrom, requireAcceptedVersion } from '../domain/value/entity-tag.js'
import type { WriteContext } from '../runtime/write-context.js'

/** Throws `ETAG_MISMATCH` for a resource in another version than an `If-Match` accepts. */
export function requireVersion(
  { ifMatch }: Pick<WriteContext, 'ifMatch'>,
  version: string,
  resource: { readonly resourceType: string; readonly resourceId: string },
): void {
  const accepted = acceptedVersionsFrom(ifMatch)
  if (accepted === undefined) return
  requireAcceptedVersion(accepted === 'any' ? accepted : accepted.map(withoutWeakness), version, resource)
}

/** Whether an `If-None-Match` names the version. */
export function isKnownVersion(ifNoneMatch: string | undefined, version: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => withoutWeakness(tag.trim()))
  return tags.includes('*') || tags.includes(version)
}

/** SCIM's examples have weak tags, which some clients make of every tag. */
function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, '')
}
