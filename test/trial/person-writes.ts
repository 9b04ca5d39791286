import { type CallResult, callJson } from '../../harness/call.js'
import { type FieldOwner, type GovernedField, governedFields } from '../../src/domain/profile/field-ownership.js'
import type { CommandStep } from '../support/ownership-model.js'

/** What a caller sees of the governed fields of a person. */
export type SeenFields = Readonly<Record<GovernedField, { readonly value: string; readonly owner: FieldOwner }>>

/** The response to a call: what it skipped and the person after it, as far as responses show that. */
export interface Observed {
  readonly skipped?: { readonly pinned: readonly GovernedField[]; readonly directoryLocked: readonly GovernedField[] }
  readonly fields?: SeenFields
}

/** The credentials of every kind of writer. */
export interface Writers {
  readonly person: string
  readonly key: string
  readonly worker: string
  /** The secret of a management key. */
  readonly directory: string
}

/** A person to write. */
export interface Person {
  readonly id: string
  readonly email: string
}

/** Where and as whom a write is sent. */
export interface Protocol {
  readonly origin: string
  readonly writers: Writers
  /** Makes a source profile differ from those before. */
  readonly serial: number
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** The names of the fields in JSON and in SCIM. */
const names: Readonly<
  Record<GovernedField, { readonly json: string; readonly scim: string; readonly removed?: string }>
> = {
  FIRST_NAME: { json: 'firstName', scim: 'name.givenName' },
  LAST_NAME: { json: 'lastName', scim: 'name.familyName' },
  AVATAR_URL: { json: 'avatarUrl', scim: 'photos[type eq "photo"].value', removed: 'photos' },
  TIMEZONE: { json: 'timezone', scim: 'timezone' },
  LOCALE: { json: 'locale', scim: 'locale' },
  DEPARTMENT: { json: 'department', scim: `${ENTERPRISE}:department` },
  JOB_TITLE: { json: 'jobTitle', scim: 'title' },
  MANAGER: { json: 'managerUserId', scim: `${ENTERPRISE}:manager` },
  PRIMARY_PHONE: { json: 'primaryPhone', scim: 'phoneNumbers[type eq "work"].value', removed: 'phoneNumbers' },
}

/** Sends a write over HTTP. Throws for an answer that is not expected. */
export async function sendStep(protocol: Protocol, person: Person, step: CommandStep): Promise<Observed> {
  switch (step.by) {
    case 'relationship':
      return sendRelationship(protocol, person, step)
    case 'ingestion':
      return sendProfile(protocol, person, step.values)
    case 'directory':
      return sendPatch(protocol, person, step)
    case 'user token':
    case 'api key':
    case 'worker':
      return sendUpdate(protocol, person, step)
  }
}

/** Reads the person. */
export async function readPerson({ origin, writers }: Protocol, { id }: Person): Promise<Observed> {
  return { fields: fieldsIn(parsed(await callJson({ origin }, `/v2/users/${id}`, { token: writers.key })).data) }
}

type Step<By extends CommandStep['by']> = Extract<CommandStep, { readonly by: By }>

async function sendUpdate(
  { origin, writers }: Protocol,
  { id }: Person,
  { by, values, pinFields, releaseFields }: Step<'user token' | 'api key' | 'worker'>,
): Promise<Observed> {
  const token = { 'user token': writers.person, 'api key': writers.key, worker: writers.worker }[by]
  const json = { ...jsonOf(values), pinFields: enumsOf(pinFields), releaseFields: enumsOf(releaseFields) }
  const answer = parsed(await callJson({ origin }, `/v2/users/${id}`, { method: 'PUT', token, json }))
  return { skipped: skippedIn(answer), fields: fieldsIn(answer.data) }
}

async function sendRelationship(
  { origin, writers }: Protocol,
  { id }: Person,
  { token: kind, manager, pin }: Step<'relationship'>,
): Promise<Observed> {
  const token = kind === 'user token' ? writers.person : writers.key
  const relationshipType = 'USER_RELATIONSHIP_TYPE_MANAGER'
  if (manager === '') {
    const query = new URLSearchParams({ relationshipType, ...(pin !== undefined && { pin: String(pin) }) })
    const path = `/v2/user-relationships/${id}?${query.toString()}`
    return { skipped: skippedIn(parsed(await callJson({ origin }, path, { method: 'DELETE', token }))) }
  }
  const json = { userId: id, relatedUserId: manager, relationshipType, ...(pin !== undefined && { pin }) }
  const answer = await callJson({ origin }, '/v2/user-relationships', { method: 'POST', token, json })
  return { skipped: skippedIn(parsed(answer)) }
}

async function sendProfile(
  { origin, writers, serial }: Protocol,
  { email }: Person,
  values: ReadonlyMap<GovernedField, string>,
): Promise<Observed> {
  const { managerUserId, ...texts } = jsonOf(values)
  const managerEmail = managerUserId === undefined ? {} : { managerEmail: managerUserId && emailOf(managerUserId) }
  const profiles = [{ externalId: `step-${serial}`, email, ...texts, ...managerEmail }]
  const json = { source: 'ownership', profiles }
  const call = { method: 'POST', token: writers.key, json }
  const [result] = parsed(await callJson({ origin }, '/v2/user-ingestion/profiles', call)).data
  return { skipped: skippedIn(result) }
}

/** The address of one of the managers, whom `person-writes` knows by their ids. */
function emailOf(userId: string): string {
  return userId.replace('user-', 'user').concat('@example.com')
}

async function sendPatch(
  { origin, writers }: Protocol,
  { id }: Person,
  { values }: Step<'directory'>,
): Promise<Observed> {
  const Operations = [...values].map(([field, value]) => {
    const { scim, removed = scim } = names[field]
    if (value === '') return { op: 'remove', path: removed }
    return { op: 'replace', path: scim, value: field === 'MANAGER' ? { value } : value }
  })
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  const call = { method: 'PATCH', token: writers.directory, json: { schemas, Operations } }
  const headers = { 'content-type': 'application/scim+json' }
  parsed(await callJson({ origin }, `/scim/v2/Users/${id}`, { ...call, headers }))
  return {}
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
function parsed({ status, text }: CallResult): any {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

function jsonOf(values: ReadonlyMap<GovernedField, string>): Record<string, string> {
  return Object.fromEntries([...values].map(([field, value]) => [names[field].json, value]))
}

function enumsOf(fields: ReadonlySet<GovernedField>): string[] {
  return [...fields].map((field) => `USER_PROFILE_FIELD_${field}`)
}

function fieldOf(name: string): GovernedField {
  const field = governedFields.find((each) => name === `USER_PROFILE_FIELD_${each}`)
  if (field === undefined) throw new Error(`no such field: ${name}`)
  return field
}

interface SkippedJson {
  readonly skippedPinnedFields: readonly string[]
  readonly skippedDirectoryLockedFields: readonly string[]
}

function skippedIn({ skippedPinnedFields, skippedDirectoryLockedFields }: SkippedJson) {
  return { pinned: skippedPinnedFields.map(fieldOf), directoryLocked: skippedDirectoryLockedFields.map(fieldOf) }
}

type UserJson = Readonly<Record<string, unknown>> & {
  readonly fieldOwnership: readonly { readonly field: string; readonly owner: string }[]
}

function fieldsIn(user: UserJson): SeenFields {
  const ownership = new Map(user.fieldOwnership.map(({ field, owner }) => [fieldOf(field), owner]))
  const seen = governedFields.map((field) => {
    const owner = ownership.get(field)?.replace('FIELD_OWNER_', '')
    return [field, { value: textOf(user[names[field].json]), owner }] as const
  })
  return Object.fromEntries(seen) as unknown as SeenFields
}

/** The text of a value; absent ones are empty. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
