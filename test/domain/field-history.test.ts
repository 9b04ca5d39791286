import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  commandsOfDirectory,
  commandsOfRequest,
  emptyProfile,
  type FieldCommand,
  fieldOwners,
  governedFields,
  skippedFields,
  writeProfile,
} from '../../src/domain/profile/field-ownership.js'
import { type CommandStep, createOwnershipModel } from '../support/ownership-model.js'

const before = new Date('2026-01-01T00:00:00.000Z')
const now = new Date('2026-02-02T00:00:00.000Z')

describe('a history of writes', () => {
  const field = fc.constantFrom(...governedFields)
  const value = fc.constantFrom('', 'a', 'b')
  const values = fc.array(fc.tuple(field, value), { maxLength: 5 }).map((entries) => new Map(entries))
  const fields = fc.array(field, { maxLength: 3 }).map((list) => new Set(list))
  const all = fc.constant(new Set(governedFields))
  const step: fc.Arbitrary<CommandStep> = fc.oneof(
    fc.record({
      by: fc.constantFrom('user token' as const, 'api key' as const, 'worker' as const),
      values,
      pinFields: fields,
      releaseFields: fields,
    }),
    fc.record({
      by: fc.constant('relationship' as const),
      token: fc.constantFrom('user token' as const, 'api key' as const),
      manager: value,
      pin: fc.constantFrom(undefined, true, false),
    }),
    fc.record({ by: fc.constant('ingestion' as const), values }),
    fc.record({ by: fc.constant('directory' as const), values, withdrawn: all }),
  )

  it('of any length and kind ends as a second, naive reading of the rules says', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = createOwnershipModel(before)
        let profile = emptyProfile(before)
        steps.forEach((each, index) => {
          const at = new Date(before.getTime() + index + 1)
          const expected = model.apply(each, at)
          const result = writeProfile(profile, commandsOf(each), at)
          profile = result.profile
          expect(profile).toEqual(model.profile())
          expect(skippedFields(result.changes)).toEqual(expected)
        })
      }),
      { numRuns: 2_000 },
    )
  })

  it('never lowers the owner of a field except by a release or a withdrawal', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let profile = emptyProfile(before)
        for (const each of steps) {
          const { profile: next, changes } = writeProfile(profile, commandsOf(each), now)
          for (const { outcome, oldOwner, newOwner } of changes) {
            if (outcome === 'RELEASED') expect(newOwner).toBe('AUTOMATION')
            else expect(fieldOwners.indexOf(newOwner)).toBeGreaterThanOrEqual(fieldOwners.indexOf(oldOwner))
          }
          profile = next
        }
      }),
    )
  })
})

function commandsOf(step: CommandStep): FieldCommand[] {
  switch (step.by) {
    case 'ingestion':
      return commandsOfRequest({ writer: 'automation', values: step.values })
    case 'directory':
      return commandsOfDirectory(step.values)
    case 'relationship':
      return commandsOfRequest({
        writer: step.token === 'user token' ? 'person' : 'automation',
        values: new Map([['MANAGER', step.manager]]),
        pin: step.pin,
      })
    case 'user token':
    case 'api key':
    case 'worker':
      return commandsOfRequest({
        writer: step.by === 'user token' ? 'person' : 'automation',
        values: step.values,
        pinFields: [...step.pinFields],
        releaseFields: [...step.releaseFields],
      })
  }
}
