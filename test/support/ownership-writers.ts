import { type FieldOwner, type GovernedField, governedFields } from '../../src/domain/profile/field-ownership.js'
import { createPinFields, updatePinFields } from '../../src/domain/profile/pin-request.js'
import { fieldNames } from '../../src/domain/profile/profile-value.js'
import type { ModelStep } from './ownership-model.js'

/** Values of governed fields. */
export type Values = ReadonlyMap<GovernedField, string>

/** What a table of writes varies. */
export const states = ['AUTOMATION', 'PINNED', 'DIRECTORY'] as const
export const givenValues = ['other', 'current', 'cleared', 'absent'] as const

/** A member in a state, and what a write gives each field. */
export interface Situation {
  readonly userId: string
  readonly owner: FieldOwner
  readonly current: Values
  readonly given: Values
}

/** What a client asks of ownership beside values: the same of every field. */
export interface Wish {
  readonly name: string
  readonly pins?: boolean
  readonly releases?: boolean
  /** `pin` of relationships. */
  readonly pin?: boolean
  /** `fieldOwnership` of records: the owner to name, or the one that stands. */
  readonly names?: FieldOwner | 'STANDING'
}

/** A write of a situation as a client sends it, and as the model takes it. */
export interface Write {
  readonly situation: Situation
  readonly json: Readonly<Record<string, unknown>>
  readonly step: ModelStep
}

/** A writer of the API: the path takes a request for each write, or all of them in one list. */
export interface ApiWriter {
  readonly name: string
  readonly token: 'user token' | 'api key' | 'worker'
  readonly method: 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  /** The list of the request that has all writes, each with a result of its own. */
  readonly list?: string
  readonly wishes: readonly Wish[]
  readonly write: (situation: Situation, wish: Wish) => Write | undefined
}

const tokens = ['user token', 'api key', 'worker'] as const
type Token = (typeof tokens)[number]

/** The values as the fields of a request. */
export function fieldsOf(values: Values): Record<string, string> {
  return Object.fromEntries([...values].map(([field, value]) => [fieldNames[field], value]))
}

function only(values: Values, isTaken: (field: GovernedField) => boolean): Values {
  return new Map([...values].filter(([field]) => isTaken(field)))
}

const isText = (field: GovernedField) => field !== 'MANAGER'
const enumName = (field: GovernedField) => `USER_PROFILE_FIELD_${field}`

const updateWishes: readonly Wish[] = [
  { name: 'nothing' },
  { name: 'pins', pins: true },
  { name: 'releases', releases: true },
]

/** An update of one user: what is not given cannot be pinned, and nor can pictures and managers. */
function updateOf(token: Token) {
  return (situation: Situation, { pins = false, releases = false }: Wish): Write => {
    const values = only(situation.given, isText)
    const pinFields = pins ? [...values.keys()].filter((field) => updatePinFields.has(field)) : []
    const releaseFields = releases ? governedFields : []
    const json = {
      id: situation.userId,
      ...fieldsOf(values),
      pinFields: pinFields.map(enumName),
      releaseFields: releaseFields.map(enumName),
    }
    const step = { by: token, values, pinFields: new Set(pinFields), releaseFields: new Set(releaseFields) }
    return { situation, json, step }
  }
}

const relationshipWishes: readonly Wish[] = [
  { name: 'nothing' },
  { name: 'pin', pin: true },
  { name: 'no pin', pin: false },
]

function relationshipOf(token: Token, clears: boolean) {
  return (situation: Situation, { pin }: Wish): Write | undefined => {
    const manager = situation.given.get('MANAGER')
    if (manager === undefined || (manager === '') !== clears) return undefined
    const json = { userId: situation.userId, relatedUserId: manager, ...(pin !== undefined && { pin }) }
    const by = token === 'user token' ? token : 'api key'
    return { situation, json, step: { by: 'relationship', token: by, manager, pin } }
  }
}

const recordWishes: readonly Wish[] = [
  { name: 'nothing' },
  { name: 'pins', names: 'PINNED' },
  { name: 'automation', names: 'AUTOMATION' },
  { name: 'what stands', names: 'STANDING' },
]

/** The owners that a record names: a pin only of what it sets and can be pinned. */
function ownersOf(
  { owner, given }: Situation,
  names: Wish['names'],
  token: Token,
): ReadonlyMap<GovernedField, FieldOwner> {
  if (names === undefined) return new Map()
  const named = names === 'STANDING' ? owner : names
  const isNamed = (field: GovernedField) =>
    named !== 'PINNED' ||
    owner !== 'AUTOMATION' ||
    (given.has(field) && (field !== 'AVATAR_URL' || token === 'user token'))
  return new Map(governedFields.filter(isNamed).map((field) => [field, named]))
}

/** The owners in a record. */
export function fieldOwnershipOf(owners: ReadonlyMap<GovernedField, FieldOwner>) {
  return [...owners].map(([field, owner]) => ({ field: enumName(field), owner: `FIELD_OWNER_${owner}` }))
}

function recordOf(token: 'user token' | 'api key', organizationId: string) {
  return (situation: Situation, { names }: Wish): Write => {
    const { userId, given } = situation
    const owners = ownersOf(situation, names, token)
    const fieldOwnership = fieldOwnershipOf(owners)
    const user = { id: userId, organizationId, email: `${userId}@example.com`, ...fieldsOf(given), fieldOwnership }
    return { situation, json: { user }, step: { by: 'import', token, values: given, owners } }
  }
}

/** A profile of a source: it never says anything about ownership. */
export function sourceProfileOf({ userId, given }: Situation) {
  const { managerUserId, ...texts } = fieldsOf(given)
  const managerEmail = managerUserId && `${managerUserId}@example.com`
  return {
    externalId: userId,
    email: `${userId}@example.com`,
    ...texts,
    ...(managerUserId !== undefined && { managerEmail }),
  }
}

/** Every writer that comes through the API and writes members who stand. */
export function apiWriters(organizationId: string): readonly ApiWriter[] {
  return [
    ...tokens.flatMap((token): ApiWriter[] => [
      {
        name: `PUT /v2/users/{id} with ${token}`,
        token,
        method: 'PUT',
        path: '/v2/users/{id}',
        wishes: updateWishes,
        write: updateOf(token),
      },
      {
        name: `PUT /v2/users/batch with ${token}`,
        token,
        method: 'PUT',
        path: '/v2/users/batch',
        list: 'users',
        wishes: updateWishes,
        write: updateOf(token),
      },
      {
        name: `POST /v2/user-relationships with ${token}`,
        token,
        method: 'POST',
        path: '/v2/user-relationships',
        wishes: relationshipWishes,
        write: relationshipOf(token, false),
      },
      {
        name: `DELETE /v2/user-relationships/{id} with ${token}`,
        token,
        method: 'DELETE',
        path: '/v2/user-relationships/{id}',
        wishes: relationshipWishes,
        write: relationshipOf(token, true),
      },
    ]),
    ...(['api key', 'worker'] as const).map(
      (token): ApiWriter => ({
        name: `POST /v2/user-ingestion/profiles with ${token}`,
        token,
        method: 'POST',
        path: '/v2/user-ingestion/profiles',
        list: 'profiles',
        wishes: [{ name: 'nothing' }],
        write: (situation) => ({
          situation,
          json: sourceProfileOf(situation),
          step: { by: 'ingestion', values: situation.given },
        }),
      }),
    ),
    ...(['user token', 'api key'] as const).map(
      (token): ApiWriter => ({
        name: `POST /v2/imports with ${token}`,
        token,
        method: 'POST',
        path: '/v2/imports',
        list: '',
        wishes: recordWishes,
        write: recordOf(token, organizationId),
      }),
    ),
  ]
}

/** The records of the command line for each situation, and their steps. */
export function commandLineWrites(situations: readonly Situation[], organizationId: string): Write[] {
  return situations.flatMap((situation) =>
    [...states, undefined].map((names): Write => {
      const owners = new Map(names === undefined ? [] : governedFields.map((field) => [field, names] as const))
      const { json } = recordOf('user token', organizationId)(situation, { name: '' })
      const user = { ...(json['user'] as object), fieldOwnership: fieldOwnershipOf(owners) }
      return { situation, json: { user }, step: { by: 'command line', values: situation.given, owners } }
    }),
  )
}

/** The creation of a user with the values of a situation: pictures and managers are given afterwards. */
export function creationOf(token: Token, given: Values, pins: boolean): Pick<Write, 'json' | 'step'> {
  const values = only(given, (field) => isText(field) && field !== 'AVATAR_URL')
  const pinFields = pins ? [...values.keys()].filter((field) => createPinFields.has(field)) : []
  const json = { ...fieldsOf(values), pinFields: pinFields.map(enumName) }
  return { json, step: { by: token, values, pinFields: new Set(pinFields), releaseFields: new Set() } }
}
