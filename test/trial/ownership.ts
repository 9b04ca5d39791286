import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { callJson } from '../../harness/call.js'
import { place } from '../../harness/records.js'
import { type GovernedField, governedFields } from '../../src/domain/profile/field-ownership.js'
import { updatePinFields } from '../../src/domain/profile/pin-request.js'
import { insertApiKey } from '../support/fixture.js'
import { type CommandStep, createOwnershipModel } from '../support/ownership-model.js'
import { withDatabase } from './database.js'
import { isLinearizable, type Operation } from './linearizable.js'
import {
  type Observed,
  type Person,
  type Protocol,
  readPerson,
  type SeenFields,
  sendStep,
  type Writers,
} from './person-writes.js'
import type { ServiceRun, Stage } from './stage.js'
import { atLeast, atMost, type Finding, type Trial } from './trial.js'

/** Callers of one person at a time, and the calls of each. */
const CALLERS = 4
const STEPS = 6
/** Persons at a time. */
const PERSONS = 6
const PAUSE_MILLIS = 5
const MANY = 1_000

/**
 * People, keys, workers, ingestion and a directory write and read the same people at once, through two processes; all
 * responses must be explained by some order of the calls.
 */
export const ownership: Trial = {
  name: 'ownership',
  onEachDatabase: true,
  amount: { of: 'operations', full: 100_000, short: 300 },
  run,
}

/** A call and its response; without a step it is a read. */
interface Call extends Operation {
  readonly step: CommandStep | undefined
  readonly observed: Observed
}

async function run(stage: Stage, operations: number): Promise<readonly Finding[]> {
  const runs = [await stage.serve()]
  // The short form makes do with one process, which takes a second of processor time to start.
  if (operations >= MANY) runs.push(await stage.serve())
  const writers = await makeWriters(stage)
  const tally = { operations: 0, persons: 0, rows: 0, fields: 0 }
  let serial = 0
  const program = fc.array(fc.array(stepOrRead, { minLength: STEPS, maxLength: STEPS }), {
    minLength: CALLERS,
    maxLength: CALLERS,
  })
  const protocolOf = (): Protocol => ({ origin: drawn(runs).origin, writers, serial: serial++ })
  const live = async (programs: readonly (readonly Planned[])[]): Promise<void> => {
    const number = ++tally.persons
    const person = await addPerson(protocolOf(), number)
    const initial = (await readPerson(protocolOf(), person)).fields
    if (initial === undefined) throw new Error('a read shows no fields')
    const phone = `+1415${String(2_000_000 + number)}`
    const calls: Call[] = []
    await Promise.all(
      programs.map(async (steps) => {
        for (const planned of steps) {
          await wait(PAUSE_MILLIS * Math.random())
          const step = planned === 'read' ? undefined : withPhone(planned, phone)
          const start = performance.now()
          const observed =
            step === undefined ? await readPerson(protocolOf(), person) : await sendStep(protocolOf(), person, step)
          calls.push({ start, end: performance.now(), step, observed })
        }
      }),
    )
    const last = performance.now()
    calls.push({
      start: last,
      end: performance.now(),
      step: undefined,
      observed: await readPerson(protocolOf(), person),
    })
    tally.operations += calls.length
    if (isPossible(initial, calls, governedFields)) return
    tally.rows++
    const broken = governedFields.filter((field) => !isPossible(initial, calls, [field]))
    tally.fields += broken.length
    console.error(`person ${number}: no order explains ${broken.join(', ') || 'the fields together'}`, describe(calls))
  }
  await fc.assert(
    fc.asyncProperty(fc.array(program, { minLength: PERSONS, maxLength: PERSONS }), async (persons) => {
      await Promise.all(persons.map(live))
    }),
    { numRuns: Math.ceil(operations / (PERSONS * (CALLERS * STEPS + 1))), endOnFailure: true },
  )
  return [
    atLeast(`operations on ${tally.persons} persons, ${CALLERS} at a time on each`, tally.operations, operations, ''),
    atMost('fields whose history no order of the calls explains', tally.fields, 0, ''),
    atMost('people whose history no order explains, all fields together', tally.rows, 0, ''),
  ]
}

type Planned = CommandStep | 'read'

/** Two canonical values of each field; those of the phone are written over. */
const valuesOf: Readonly<Record<GovernedField, readonly [string, string]>> = {
  FIRST_NAME: ['Ada', 'Grace'],
  LAST_NAME: ['Lovelace', 'Hopper'],
  AVATAR_URL: ['https://x.example/a', 'https://x.example/b'],
  TIMEZONE: ['Europe/London', 'America/New_York'],
  LOCALE: ['en-GB', 'en-US'],
  DEPARTMENT: ['Research', 'Navy'],
  JOB_TITLE: ['Analyst', 'Admiral'],
  MANAGER: ['user-1', 'user-2'],
  PRIMARY_PHONE: ['+14155550111', '+14155550112'],
}

const field = fc.constantFrom(...governedFields)
const supplied = fc
  .array(
    fc.tuple(field, fc.nat(1)).map(([name, index]) => [name, valuesOf[name][index] ?? ''] as const),
    { minLength: 1, maxLength: 4 },
  )
  .map((entries) => new Map(entries))
const given = fc
  .array(
    fc.tuple(field, fc.nat(2)).map(([name, index]) => [name, valuesOf[name][index] ?? ''] as const),
    { minLength: 1, maxLength: 4 },
  )
  .map((entries) => new Map(entries))
const fields = fc.array(field, { maxLength: 3 }).map((list) => new Set(list))
const step: fc.Arbitrary<CommandStep> = fc.oneof(
  fc
    .record({
      by: fc.constantFrom('user token' as const, 'api key' as const, 'worker' as const),
      values: given.map((values) => new Map([...values].filter(([name]) => name !== 'MANAGER'))),
      pinFields: fields,
      releaseFields: fields,
    })
    // What the method would refuse is left to the tests of refusals.
    .map((update) => {
      const isPinnable = (name: GovernedField) =>
        updatePinFields.has(name) && update.values.has(name) && !update.releaseFields.has(name)
      return { ...update, pinFields: new Set([...update.pinFields].filter(isPinnable)) }
    }),
  fc.record({
    by: fc.constant('relationship' as const),
    token: fc.constantFrom('user token' as const, 'api key' as const),
    manager: fc.constantFrom('', ...valuesOf.MANAGER),
    pin: fc.constantFrom(undefined, true, false),
  }),
  fc.record({ by: fc.constant('ingestion' as const), values: given }),
  // What a directory takes away by a PATCH is empty, and the directory's.
  fc
    .record({ by: fc.constant('directory' as const), values: supplied, removed: fields })
    .map(({ by, values, removed }) => {
      const empty = [...removed].map((name) => [name, ''] as const)
      return { by, values: new Map([...empty, ...values]), withdrawn: new Set<GovernedField>() }
    }),
)
const stepOrRead: fc.Arbitrary<Planned> = fc.oneof(
  { weight: 4, arbitrary: step },
  { weight: 1, arbitrary: fc.constant('read' as const) },
)

/** Every person has their own number: it is unique in the organization. */
function withPhone(planned: CommandStep, phone: string): CommandStep {
  if (planned.by === 'relationship') return planned
  const number = planned.values.get('PRIMARY_PHONE')
  if (number === undefined || number === '') return planned
  return { ...planned, values: new Map(planned.values).set('PRIMARY_PHONE', phone) }
}

function isPossible(initial: SeenFields, calls: readonly Call[], of: readonly GovernedField[]): boolean {
  const keyOf = (state: SeenFields) => of.map((name) => `${state[name].value}\t${state[name].owner}`).join('\n')
  const named = (names: readonly GovernedField[]) => names.filter((name) => of.includes(name)).join()
  return isLinearizable(initial, calls, (state, call) => applied(state, call, keyOf, named), keyOf)
}

function applied(
  state: SeenFields,
  { step: write, observed }: Call,
  keyOf: (state: SeenFields) => string,
  named: (names: readonly GovernedField[]) => string,
): SeenFields | undefined {
  const model = createOwnershipModel(new Date(0), state)
  if (write !== undefined) {
    const { pinned, directoryLocked } = model.apply(write, new Date(0))
    const { skipped } = observed
    if (skipped !== undefined && named(skipped.pinned) !== named(pinned)) return undefined
    if (skipped !== undefined && named(skipped.directoryLocked) !== named(directoryLocked)) return undefined
  }
  const next = model.profile()
  return observed.fields !== undefined && keyOf(observed.fields) !== keyOf(next) ? undefined : next
}

async function makeWriters({ connectionString, tokens }: Stage): Promise<Writers> {
  const { organization: organizationId } = place
  return withDatabase(connectionString, async (database) => ({
    person: tokens.user,
    key: tokens.key,
    worker: (await insertApiKey(database, { organizationId, kind: 'wk' })).token,
    directory: (await insertApiKey(database, { organizationId, kind: 'mk', permissions: [] })).secret,
  }))
}

/** The directory adds a person and supplies nothing but the address. */
async function addPerson({ origin, writers }: Protocol, number: number): Promise<Person> {
  const email = `history-${number}@example.com`
  const json = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: email,
    externalId: `history-${number}`,
  }
  const headers = { 'content-type': 'application/scim+json' }
  const { status, text } = await callJson({ origin }, '/scim/v2/Users', {
    method: 'POST',
    token: writers.directory,
    json,
    headers,
  })
  if (status !== 201) throw new Error(`${status} ${text}`)
  return { id: JSON.parse(text).id, email }
}

function describe(calls: readonly Call[]): string {
  const plain = (_: string, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value] : value
  return calls
    .toSorted((one, other) => one.start - other.start)
    .map(
      ({ start, end, step: write, observed }) =>
        `\n  ${start.toFixed(1)}–${end.toFixed(1)} ${JSON.stringify({ step: write, observed }, plain)}`,
    )
    .join('')
}

function drawn(runs: readonly ServiceRun[]): ServiceRun {
  const run = runs[Math.floor(Math.random() * runs.length)]
  if (run === undefined) throw new Error('there is no service')
  return run
}
