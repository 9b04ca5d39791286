import { type FieldViolation, invalidField, refuseViolations } from '../../errors.js'
import {
  descriptionLimits,
  nameLimits,
  optionalNameLimits,
  scopedIdFormat,
  textViolations,
} from '../value/text-field.js'

/** New values of one resource; what is absent stays as it is, an empty description or external id clears. */
export interface AppResourceUpdate {
  readonly id: string
  readonly resourceType?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly externalId?: string | undefined
  readonly scopedId?: string | undefined
}

/** The most entries of a batch. */
const MAX_BATCH_SIZE = 1000

/** More faults than these are not listed. */
const MAX_LISTED_FAULTS = 20

/**
 * Judges what can be judged without the resources. Throws `BATCH_SIZE_OUT_OF_RANGE`, or the faults of the entries:
 * `FIELD_REQUIRED` for an id that is missing, `DUPLICATE_ID`, `FIELD_INVALID` for texts that do not fit.
 */
export function checkAppResourceUpdates(updates: readonly AppResourceUpdate[]): void {
  if (updates.length === 0 || updates.length > MAX_BATCH_SIZE) {
    throw invalidField('resources', `must have 1 to ${MAX_BATCH_SIZE} entries`, 'BATCH_SIZE_OUT_OF_RANGE')
  }
  const faults: FieldViolation[] = []
  const firstIndexes = new Map<string, number>()
  for (const [index, update] of updates.entries()) {
    const firstIndex = firstIndexes.get(update.id)
    if (firstIndex === undefined) firstIndexes.set(update.id, index)
    faults.push(
      ...idFaults(`resources[${index}].id`, update.id, firstIndex),
      ...textFaults(`resources[${index}]`, update),
    )
    if (faults.length >= MAX_LISTED_FAULTS) break
  }
  refuseViolations(faults)
}

function idFaults(field: string, id: string, firstIndex: number | undefined): FieldViolation[] {
  if (id === '') return [{ field, description: 'is required', reason: 'FIELD_REQUIRED' }]
  if (firstIndex === undefined) return []
  return [
    { field, description: `repeats resources[${firstIndex}].id: name each resource once`, reason: 'DUPLICATE_ID' },
  ]
}

function textFaults(at: string, update: AppResourceUpdate): FieldViolation[] {
  return [
    ...textViolations(`${at}.resourceType`, update.resourceType, nameLimits),
    ...textViolations(`${at}.name`, update.name, nameLimits),
    ...textViolations(`${at}.description`, update.description, descriptionLimits),
    ...textViolations(`${at}.externalId`, update.externalId, optionalNameLimits),
    ...scopedIdFaults(`${at}.scopedId`, update.scopedId),
  ]
}

function scopedIdFaults(field: string, scopedId: string | undefined): FieldViolation[] {
  if (scopedId === undefined || scopedIdFormat.test(scopedId)) return []
  return [{ field, description: 'must have 1 to 64 of the characters A-Za-z0-9_.~:-', reason: 'FIELD_INVALID' }]
}
