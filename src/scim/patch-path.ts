import type { ScimAttribute, ScimResourceType, ScimSchema } from '../store/scim/attribute.js'
import type { Filter } from '../store/scim/filter.js'
import { attributePath, named } from './attribute-path.js'
import { ScimError } from './error.js'
import { parseEntryFilter } from './filter.js'

/** What an operation of a PATCH changes (RFC 7644 section 3.5.2). */
export interface PatchTarget {
  /** The extension that has the attribute; undefined for attributes of the resource itself. */
  readonly extension: string | undefined
  readonly attribute: ScimAttribute
  /** Which entries of an attribute that has several; undefined for all. */
  readonly filter: Filter | undefined
  readonly subAttribute: ScimAttribute | undefined
}

/** `[urn:]attribute`, then a filter in brackets or a part, or both. */
const PATH = /^(?<name>[^[\]]+?)(?:\[(?<filter>.*)\](?:\.(?<sub>[$A-Za-z][\w$-]*))?)?$/s

/**
 * Finds what a path names. `extension`: all attributes of an extension; `unheld`: an attribute of SCIM's own schemas
 * that the service does not have. Throws `invalidPath`.
 */
export function patchTarget(
  path: string,
  type: ScimResourceType,
): PatchTarget | { readonly whole: ScimSchema } | 'unheld' {
  const { name = '', filter, sub } = PATH.exec(path.trim())?.groups ?? {}
  const whole = [type.schema, ...type.extensions].find(({ id }) => id.toLowerCase() === name.toLowerCase())
  if (whole !== undefined && filter === undefined) return { whole }
  const found = attributePath(name, type)
  if (found === 'unheld') return found
  if (found === undefined) throw new ScimError(400, 'invalidPath', `no such attribute: ${shortened(path)}`)
  const { schema, attribute } = found
  const subAttribute = sub === undefined ? found.subAttribute : named(attribute.subAttributes, sub)
  if (sub !== undefined && subAttribute === undefined) {
    throw new ScimError(400, 'invalidPath', `${attribute.name} has no ${shortened(sub)}`)
  }
  if (filter !== undefined && (!attribute.multiValued || found.subAttribute !== undefined)) {
    throw new ScimError(400, 'invalidPath', `${attribute.name} is single-valued: omit the filter in brackets`)
  }
  const isExtension = type.extensions.some(({ id }) => id === schema?.id)
  return {
    extension: isExtension ? schema?.id : undefined,
    attribute,
    filter: filter === undefined ? undefined : parseEntryFilter(filter, attribute),
    subAttribute,
  }
}

const MAX_SHOWN = 100

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
