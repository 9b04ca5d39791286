import { hash } from 'node:crypto'
import { invalidField, ServiceError, typeNamed } from '../../errors.js'

const LENGTH = 27

/** The strong entity tag of an object in a version (RFC 9110, 8.8.3), with quotes. It does not reveal the version. */
export function entityTagOf(version: string): string {
  return `"${hash('sha256', version, 'base64url').slice(0, LENGTH)}"`
}

export type AcceptedVersions = 'any' | readonly string[]

/** Reads an `If-Match` (RFC 9110, 13.1.1); undefined without one. Throws `FIELD_INVALID`. */
export function acceptedVersionsFrom(ifMatch: string | undefined): AcceptedVersions | undefined {
  if (ifMatch === undefined) return undefined
  if (ifMatch.trim() === '*') return 'any'
  const member = /[\t ]*(?:((?:W\/)?"[!#-~\x80-\xff]*")[\t ]*)?(?:,|$)/y
  const tags: string[] = []
  while (member.lastIndex < ifMatch.length) {
    const found = member.exec(ifMatch)
    if (found === null) throw malformed()
    if (found[1] !== undefined) tags.push(found[1])
  }
  if (tags.length === 0) throw malformed()
  return tags
}

function malformed(): ServiceError {
  return invalidField('If-Match', 'must be an ETag from a response, including its quotes, a list of them, or *')
}

/**
 * Throws `ETAG_MISMATCH` if an object is not in one of the accepted versions; `tag` is undefined if there is no object.
 * Without accepted versions, any will do. `resourceType` is in words, such as `team member`.
 */
export function requireAcceptedVersion(
  accepted: AcceptedVersions | undefined,
  tag: string | undefined,
  { resourceType, resourceId }: { readonly resourceType: string; readonly resourceId: string },
): void {
  if (accepted === undefined || (tag !== undefined && (accepted === 'any' || accepted.includes(tag)))) return
  const fault =
    tag === undefined ? `the ${resourceType} does not exist` : `the ETag of the ${resourceType} does not match`
  const message = `${fault}: read the ${resourceType} again, then retry`
  throw new ServiceError('ETAG_MISMATCH', message, { metadata: { resourceType: typeNamed(resourceType), resourceId } })
}
