import { describe, expect, it } from '@jest/globals'
import {
  commandsOfDirectory,
  commandsOfRequest,
  emptyProfile,
  type FieldChange,
  type FieldCommand,
  type FieldOwner,
  type FieldWriteOutcome,
  type GovernedField,
  governedFields,
  skippedFields,
  writeProfile,
} from '../../src/domain/profile/field-ownership.js'
import {
  directory,
  ingestion,
  key,
  keyPinning,
  person,
  relationship,
  release,
  set,
  withdrawal,
} from '../support/ownership-commands.js'

const before = new Date('2026-01-01T00:00:00.000Z')
const now = new Date('2026-02-02T00:00:00.000Z')

/** A field with this owner and the value `current`, after the commands. */
function written(owner: FieldOwner, field: GovernedField, commands: readonly FieldCommand[]) {
  const profile = { ...emptyProfile(before), [field]: { value: 'current', owner, since: before } }
  return writeProfile(profile, commands, now)
}

interface Row {
  /** The row of the table of states. */
  readonly name: string
  readonly field?: GovernedField
  readonly owner: FieldOwner
  readonly commands: (field: GovernedField) => FieldCommand[]
  readonly value: string
  readonly newOwner: FieldOwner
  readonly outcome: FieldWriteOutcome | undefined
}

const automationOwned = { owner: 'AUTOMATION' } as const
const pinned = { owner: 'PINNED' } as const
const locked = { owner: 'DIRECTORY' } as const
const leftPinned = { value: 'current', newOwner: 'PINNED', outcome: 'SKIPPED_PINNED' } as const
const leftToDirectory = { value: 'current', newOwner: 'DIRECTORY', outcome: 'SKIPPED_DIRECTORY_LOCKED' } as const

const rows: readonly Row[] = [
  // The table of states, row by row.
  {
    ...automationOwned,
    name: 'a request that sets an automation-owned field and lists it in pinFields pins it',
    commands: keyPinning('new'),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'a user token that writes an automation-owned field owns it',
    commands: person('new'),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'a key or worker without a pin writes as automation',
    commands: key('new'),
    value: 'new',
    newOwner: 'AUTOMATION',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'a key or worker does not replace a pinned value',
    commands: key('new'),
    ...leftPinned,
  },
  {
    ...pinned,
    name: 'a key or worker that writes the current value of a pinned field succeeds',
    commands: key('current'),
    value: 'current',
    newOwner: 'PINNED',
    outcome: 'UNCHANGED',
  },
  {
    ...pinned,
    name: 'a release hands a pinned field back, and its value stays',
    commands: release,
    value: 'current',
    newOwner: 'AUTOMATION',
    outcome: 'RELEASED',
  },
  {
    ...locked,
    name: 'a key does not replace what the directory supplies',
    commands: key('new'),
    ...leftToDirectory,
  },
  {
    ...locked,
    name: 'what the directory supplies is skipped even where the value is the same',
    commands: key('current'),
    ...leftToDirectory,
  },
  {
    ...locked,
    name: 'no pin of a key takes a field from the directory',
    commands: keyPinning('new'),
    ...leftToDirectory,
  },
  {
    ...locked,
    name: 'no user token takes a field from the directory',
    commands: person('new'),
    ...leftToDirectory,
  },
  {
    ...automationOwned,
    name: 'an assignment with pin pins the manager',
    field: 'MANAGER',
    commands: relationship('automation', 'new', true),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'a clearing with pin pins the cleared state',
    field: 'MANAGER',
    commands: relationship('automation', '', true),
    value: '',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...pinned,
    name: 'a release hands a pinned manager back',
    field: 'MANAGER',
    commands: release,
    value: 'current',
    newOwner: 'AUTOMATION',
    outcome: 'RELEASED',
  },
  // What the table leaves open.
  {
    ...pinned,
    name: 'a key that names a pinned field in pinFields replaces its value, and the pin stays',
    commands: keyPinning('new'),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...pinned,
    name: 'a user token replaces a pinned value, and the pin stays',
    commands: person('new'),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...pinned,
    name: 'a user token that writes the current value of a pinned field changes nothing',
    commands: person('current'),
    value: 'current',
    newOwner: 'PINNED',
    outcome: 'UNCHANGED',
  },
  {
    ...automationOwned,
    name: 'a user token that writes the current value of an automation-owned field owns it',
    commands: person('current'),
    value: 'current',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'automation that writes the current value of an automation-owned field changes nothing',
    commands: key('current'),
    value: 'current',
    newOwner: 'AUTOMATION',
    outcome: 'UNCHANGED',
  },
  {
    ...automationOwned,
    name: 'a user token that clears a field pins the cleared state',
    commands: person(''),
    value: '',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'a release of what automation owns is nothing',
    commands: release,
    value: 'current',
    newOwner: 'AUTOMATION',
    outcome: undefined,
  },
  {
    ...locked,
    name: 'a release of what the directory supplies is skipped',
    commands: release,
    ...leftToDirectory,
  },
  {
    ...automationOwned,
    name: 'a user token with pin: false assigns without taking ownership',
    field: 'MANAGER',
    commands: relationship('person', 'new', false),
    value: 'new',
    newOwner: 'AUTOMATION',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'a user token with pin: false replaces a pinned manager, and the pin stays',
    field: 'MANAGER',
    commands: relationship('person', 'new', false),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'a user token with pin: false clears a pinned manager, and the pin stays',
    field: 'MANAGER',
    commands: relationship('person', '', false),
    value: '',
    newOwner: 'PINNED',
    outcome: 'WRITTEN',
  },
  {
    ...locked,
    name: 'a user token with pin: false does not replace what the directory supplies',
    field: 'MANAGER',
    commands: relationship('person', 'new', false),
    ...leftToDirectory,
  },
  {
    ...automationOwned,
    name: 'an assignment by a user token pins by default',
    field: 'MANAGER',
    commands: relationship('person', 'new'),
    value: 'new',
    newOwner: 'PINNED',
    outcome: 'PINNED',
  },
  {
    ...automationOwned,
    name: 'an assignment by a key does not pin by default',
    field: 'MANAGER',
    commands: relationship('automation', 'new'),
    value: 'new',
    newOwner: 'AUTOMATION',
    outcome: 'WRITTEN',
  },
  {
    ...automationOwned,
    name: 'ingestion writes what automation owns',
    commands: ingestion('new'),
    value: 'new',
    newOwner: 'AUTOMATION',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'ingestion does not replace a pinned value',
    commands: ingestion('new'),
    ...leftPinned,
  },
  {
    ...automationOwned,
    name: 'the directory locks what automation owns',
    commands: directory('new'),
    value: 'new',
    newOwner: 'DIRECTORY',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'the directory locks over a pin',
    commands: directory('new'),
    value: 'new',
    newOwner: 'DIRECTORY',
    outcome: 'WRITTEN',
  },
  {
    ...pinned,
    name: 'the directory locks over a pin even where the value is the same',
    commands: directory('current'),
    value: 'current',
    newOwner: 'DIRECTORY',
    outcome: 'WRITTEN',
  },
  {
    ...locked,
    name: 'the directory replaces its own value',
    commands: directory('new'),
    value: 'new',
    newOwner: 'DIRECTORY',
    outcome: 'WRITTEN',
  },
  {
    ...locked,
    name: 'the directory that supplies the same again changes nothing',
    commands: directory('current'),
    value: 'current',
    newOwner: 'DIRECTORY',
    outcome: 'UNCHANGED',
  },
  {
    ...locked,
    name: 'a field that the directory stops supplying is unlocked, and its value stays',
    commands: withdrawal,
    value: 'current',
    newOwner: 'AUTOMATION',
    outcome: 'RELEASED',
  },
  {
    ...pinned,
    name: 'the directory does not unpin what it has never supplied',
    commands: withdrawal,
    value: 'current',
    newOwner: 'PINNED',
    outcome: undefined,
  },
]

describe('ownership of a field', () => {
  it.each(rows)('$name', ({ field, owner, commands, value, newOwner, outcome }) => {
    for (const each of field === undefined ? governedFields : [field]) {
      const { profile, changes } = written(owner, each, commands(each))
      expect(profile[each]).toEqual({ value, owner: newOwner, since: owner === newOwner ? before : now })
      expect(changes).toEqual(
        outcome === undefined ? [] : [{ field: each, outcome, oldOwner: owner, newOwner } satisfies FieldChange],
      )
      expect(skippedFields(changes)).toEqual({
        pinned: outcome === 'SKIPPED_PINNED' ? [each] : [],
        directoryLocked: outcome === 'SKIPPED_DIRECTORY_LOCKED' ? [each] : [],
      })
    }
  })

  it('is released before the field is set: a key replaces the value of a field that it releases', () => {
    const commands = commandsOfRequest({
      writer: 'automation',
      values: set('JOB_TITLE', 'new'),
      releaseFields: ['JOB_TITLE'],
    })
    const { profile, changes } = written('PINNED', 'JOB_TITLE', commands)
    expect(profile.JOB_TITLE).toEqual({ value: 'new', owner: 'AUTOMATION', since: now })
    expect(changes.map(({ outcome }) => outcome)).toEqual(['RELEASED', 'WRITTEN'])
  })

  it('is pinned again when a user token releases and sets the field', () => {
    const commands = commandsOfRequest({
      writer: 'person',
      values: set('JOB_TITLE', 'new'),
      releaseFields: ['JOB_TITLE'],
    })
    expect(written('PINNED', 'JOB_TITLE', commands).profile.JOB_TITLE).toMatchObject({ value: 'new', owner: 'PINNED' })
  })

  it('is reported once if a request releases and sets a locked field', () => {
    const commands = commandsOfRequest({
      writer: 'automation',
      values: set('LOCALE', 'new'),
      releaseFields: ['LOCALE'],
    })
    const { changes } = written('DIRECTORY', 'LOCALE', commands)
    expect(skippedFields(changes)).toEqual({ pinned: [], directoryLocked: ['LOCALE'] })
  })

  it('leaves the other fields alone', () => {
    const start = emptyProfile(before)
    for (const field of governedFields) {
      const { profile } = writeProfile(start, commandsOfDirectory(set(field, 'new')), now)
      expect({ ...profile, [field]: start[field] }).toEqual(start)
    }
  })

  it('lists what was skipped in enum order, whatever the order of the request', () => {
    const start = { ...emptyProfile(before) }
    for (const field of governedFields) start[field] = { value: 'current', owner: 'PINNED', since: before }
    const values = new Map([...governedFields].reverse().map((field) => [field, 'new']))
    const { changes } = writeProfile(start, commandsOfRequest({ writer: 'automation', values }), now)
    expect(skippedFields(changes).pinned).toEqual(governedFields)
  })
})
