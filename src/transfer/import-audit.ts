import type { Tables } from '../db/tables.js'
import { type AuditEvent, type FieldChange, recordAuditEvents, systemActor } from '../domain/audit/audit-event.js'
import { type FieldOwner, fieldOwners } from '../domain/profile/field-ownership.js'
import type { Runtime } from '../runtime/runtime.js'
import { type OwnedPlace, ownedPlaces } from '../store/owned-column.js'
import { changedMembersOf } from '../store/transfer/import.js'
import type { ImportedChange } from '../store/transfer/outcome.js'

const EVENTS_AT_ONCE = 1_000

/** Records an event `user.import` for each member who stood and is changed. */
export async function recordImport(transaction: Tables, runtime: Runtime): Promise<void> {
  const changed = await changedMembersOf(transaction)
  for (let start = 0; start < changed.length; start += EVENTS_AT_ONCE) {
    const events = changed.slice(start, start + EVENTS_AT_ONCE).map(eventOf)
    await recordAuditEvents(transaction, events, runtime)
  }
}

function eventOf({ organizationId, userId, fields, oldOwners, newOwners }: ImportedChange): AuditEvent {
  const changes = ownedPlaces.flatMap((place, index) => {
    const owners = { old: ownerOf(oldOwners[index]), new: ownerOf(newOwners[index]) }
    return changeOf(place, fields.includes(place.value), owners)
  })
  return { organizationId, actor: systemActor, action: 'user.import', targetType: 'user', targetId: userId, changes }
}

/** The value or the owner of a governed field has changed; an owner alone is released, or takes what stands. */
function changeOf(
  { field }: OwnedPlace,
  hasNewValue: boolean,
  owners: { readonly old: FieldOwner; readonly new: FieldOwner },
): FieldChange[] {
  if (!hasNewValue && owners.old === owners.new) return []
  const taken = owners.new === 'PINNED' ? 'PINNED' : 'WRITTEN'
  const outcome = !hasNewValue && owners.new === 'AUTOMATION' ? 'RELEASED' : taken
  return [{ field, outcome, oldOwner: owners.old, newOwner: owners.new }]
}

function ownerOf(printed: string | undefined): FieldOwner {
  const owner = fieldOwners.find((each) => printed === `FIELD_OWNER_${each}`)
  if (owner === undefined) throw new Error(`${printed} is not an owner of a field`)
  return owner
}
