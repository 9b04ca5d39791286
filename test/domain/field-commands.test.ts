import { describe, expect, it } from '@jest/globals'
import {
  emptyProfile,
  type FieldCommand,
  type FieldOwner,
  type FieldWriteOutcome,
  governedFields,
  isChanged,
  writeProfile,
} from '../../src/domain/profile/field-ownership.js'
import { valuesSet } from '../../src/domain/user/member.js'

const before = new Date('2026-01-01T00:00:00.000Z')
const now = new Date('2026-02-02T00:00:00.000Z')

describe('an empty profile', () => {
  it('has no values, and automation owns every field', () => {
    const field = { value: '', owner: 'AUTOMATION', since: before }
    expect(emptyProfile(before)).toEqual(Object.fromEntries(governedFields.map((name) => [name, field])))
  })
})

describe('the guard of a write', () => {
  const field = 'JOB_TITLE'
  const set = (value: string, as: FieldOwner): FieldCommand => ({ kind: 'set', field, value, as })
  const rows: readonly (readonly [string, FieldOwner, FieldCommand, string | undefined])[] = [
    ['a value that automation writes', 'AUTOMATION', set('new', 'AUTOMATION'), 'new'],
    ['a value that is pinned', 'AUTOMATION', set('new', 'PINNED'), 'new'],
    ['a value that only changes its owner', 'AUTOMATION', set('current', 'PINNED'), 'current'],
    ['nothing where a value stays', 'AUTOMATION', set('current', 'AUTOMATION'), undefined],
    ['nothing where a field is skipped', 'PINNED', set('new', 'AUTOMATION'), undefined],
    ['nothing where a field is released', 'PINNED', { kind: 'release', field }, undefined],
  ]

  it.each(rows)('is consulted about %s', (_, owner, command, asked) => {
    const profile = { ...emptyProfile(before), [field]: { value: 'current', owner, since: before } } as const
    const questions: unknown[] = []
    const refuse = (...question: unknown[]) => {
      questions.push(question)
      return false
    }
    const write = writeProfile(profile, [command], now, refuse)
    expect(questions).toEqual(asked === undefined ? [] : [[field, asked]])
    if (asked !== undefined) expect(write).toEqual({ profile, changes: [] })
    else expect(write).toEqual(writeProfile(profile, [command], now))
  })
})

describe('the values that commands set in a field', () => {
  it('are the non-empty values of this field, in order', () => {
    const set = (field: 'MANAGER' | 'LOCALE', value: string) => ({ kind: 'set', field, value, as: 'PINNED' }) as const
    const commands: FieldCommand[] = [
      set('MANAGER', 'b'),
      set('LOCALE', 'de'),
      set('MANAGER', ''),
      set('MANAGER', 'a'),
      { kind: 'release', field: 'MANAGER' } as const,
      { kind: 'withdraw', field: 'MANAGER' } as const,
    ]
    expect(valuesSet(commands, 'MANAGER')).toStrictEqual(['b', 'a'])
    expect(valuesSet(commands, 'JOB_TITLE')).toStrictEqual([])
  })
})

describe('a change', () => {
  const change = (outcome: FieldWriteOutcome) =>
    ({ field: 'LOCALE', outcome, oldOwner: 'AUTOMATION', newOwner: 'AUTOMATION' }) as const

  it.each([
    ['WRITTEN', true],
    ['PINNED', true],
    ['RELEASED', true],
    ['UNCHANGED', false],
    ['SKIPPED_PINNED', false],
    ['SKIPPED_DIRECTORY_LOCKED', false],
  ] as const)('with the outcome %s is one of a value or an owner: %s', (outcome, changed) => {
    expect(isChanged([change(outcome)])).toBe(changed)
    expect(isChanged([change('UNCHANGED'), change(outcome)])).toBe(changed)
  })
})
