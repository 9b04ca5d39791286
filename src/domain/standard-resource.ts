import type { Runtime } from '../runtime/runtime.js'
import type { StandardStore } from '../store/standard-methods.js'
import type { StandardKey } from '../store/standard-writes.js'
import { type CallContext, type Permission, permissions } from './caller/caller.js'

/** The standard methods (AIP-131 to 135) of a resource whose objects belong to teams. */
export interface StandardResource<Of extends StandardKey = StandardKey> {
  /** As errors name it, such as `entity type`. */
  readonly name: string
  /** As the audit log names it: its events are `entity_type.create` and so on. */
  readonly auditedAs: string
  readonly read: Permission
  readonly write: Permission
  readonly store: StandardStore<Of>
  /** The values of a new object, from those that a request gives. */
  readonly complete: Complete<Of>
  /** Throws if an object cannot be changed or deleted. */
  readonly requireWritable: (object: Of) => void
}

type Complete<Of> = (given: Partial<Of>, context: CallContext) => Partial<Of>

type StandardOptions<Of extends StandardKey> = Partial<
  Pick<StandardResource<Of>, 'name' | 'complete' | 'requireWritable'>
>

/**
 * Declares the standard methods of the objects in a store. Throws if its methods have no common group of permissions.
 */
export function standardResource<Of extends StandardKey>(
  store: StandardStore<Of>,
  options: StandardOptions<NoInfer<Of>> = {},
): StandardResource<Of> {
  const words = store.type.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  return {
    name: words.join(' '),
    auditedAs: words.join('_'),
    read: permissionOf(store, 'read'),
    write: permissionOf(store, 'write'),
    store,
    complete: (given) => given,
    requireWritable: () => {},
    ...options,
  }
}

function permissionOf(
  { type, permissions: group }: Pick<StandardStore, 'type' | 'permissions'>,
  verb: 'read' | 'write',
): Permission {
  const permission = permissions.find((each) => each === `${group}:${verb}`)
  if (permission === undefined)
    throw new Error(`there is no permission to ${verb} ${type}: its methods need those of "${group}"`)
  return permission
}

/** Limits a resource to the objects of one owner. */
export function ofOwner<Of extends StandardKey>(
  { store, ...resource }: StandardResource<Of>,
  ownerId: string,
): StandardResource<Of> {
  return {
    ...resource,
    store: {
      ...store,
      find: (tables, wanted) => store.find(tables, { ...wanted, ownerId }),
      read: async (tables, key) => {
        const row = await store.read(tables, key)
        return row && store.owner && row[store.owner.property] === ownerId ? row : undefined
      },
    },
  }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const RANDOM_CHARACTERS = 16

/** Completes new objects that have no short handle. */
export function withScopedId(prefix: 'pri' | 'ares'): Complete<{ readonly scopedId: string }> {
  return (given, { runtime }) => ({ ...given, scopedId: given.scopedId || newScopedId(prefix, runtime) })
}

/** A new short handle: the prefix and 80 random bits, such as `pri_8k2m0q4t6w1x3z5b`. */
export function newScopedId(prefix: 'pri' | 'ares', runtime: Runtime): string {
  let handle = `${prefix}_`
  for (const byte of runtime.randomBytes(RANDOM_CHARACTERS)) handle += ALPHABET.charAt(byte % ALPHABET.length)
  return handle
}
