import type { FastifyInstance } from 'fastify'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { v7 } from 'uuid'
import { Prisma, type PrismaClient } from '../../../gen/prisma/client.js'
import type { UserRole } from '../../../gen/prisma/enums.js'
import { Refusal } from '../peer-app.js'
import { auditEvent } from './audit.js'
import { type Caller, callerOf, notFound, requireInOrganization } from './caller.js'
import { decideWrite, fieldOfName, type GovernedField, userJson } from './profile.js'

const text = { type: 'string', maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' } as const
const email = { type: 'string', maxLength: 254, format: 'email' } as const
const fieldNames = { type: 'array', maxItems: 1000, items: { type: 'string' }, default: [] } as const

const profileProperties = {
  firstName: text,
  lastName: text,
  timezone: text,
  locale: text,
  department: text,
  jobTitle: text,
  primaryPhone: text,
  role: { enum: ['USER_ROLE_ORG_ADMIN', 'USER_ROLE_ORG_MEMBER', 'USER_ROLE_ORG_GUEST'] },
  pinFields: fieldNames,
}

const updateBody = {
  type: 'object',
  additionalProperties: false,
  properties: { ...profileProperties, email, avatarUrl: { ...text, maxLength: 2048 }, releaseFields: fieldNames },
}

const createBody = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: { ...profileProperties, email },
}

type TextField = Exclude<GovernedField, 'manager'>

interface CreateBody extends Readonly<Partial<Record<TextField, string>>> {
  readonly email: string
  readonly role?: `USER_ROLE_${UserRole}`
  readonly pinFields: readonly string[]
}

interface UpdateBody extends Omit<CreateBody, 'email'> {
  readonly email?: string
  readonly releaseFields: readonly string[]
}

/** Adds `PUT /v2/users/{id}` and `POST /v2/users`. */
export function addUserRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.put<{ Params: { id: string }; Body: UpdateBody }>(
    '/v2/users/:id',
    { schema: { body: updateBody } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      const { id: userId } = request.params
      if (caller.id !== userId || request.body.email !== undefined) requireInOrganization(caller, 'users:write')
      const values = valuesOf(request.body)
      const pins = pinsOf(request.body.pinFields, values, (field) => field !== 'avatarUrl' && field !== 'manager')
      const releases = fieldsOf(request.body.releaseFields)
      if ([...pins].some((field) => releases.has(field))) throw invalid('a field is pinned and released')
      const change = { values, pins, releases, email: request.body.email, role: roleOf(request.body) }
      return refusingTaken(() => prisma.$transaction((tx) => updateUser(tx, caller, userId, change, request.id)))
    },
  )

  app.post<{ Body: CreateBody }>('/v2/users', { schema: { body: createBody } }, async (request) => {
    const caller = await callerOf(prisma, request)
    requireInOrganization(caller, 'users:write')
    const values = valuesOf(request.body)
    const pins = pinsOf(request.body.pinFields, values, (field) => field === 'firstName' || field === 'lastName')
    const joining = { values, pins, email: request.body.email, role: roleOf(request.body) ?? 'ORG_MEMBER' }
    return refusingTaken(() => prisma.$transaction((tx) => createUser(tx, caller, joining, request.id)))
  })
}

interface UserChange {
  readonly values: ReadonlyMap<GovernedField, string>
  readonly pins: ReadonlySet<GovernedField>
  readonly releases: ReadonlySet<GovernedField>
  readonly email: string | undefined
  readonly role: UserRole | undefined
}

async function updateUser(
  tx: Prisma.TransactionClient,
  caller: Caller,
  userId: string,
  change: UserChange,
  requestId: string,
) {
  const { organizationId } = caller
  const now = new Date()
  const member = await lockMember(tx, caller, userId, now)
  const { data, changes, ...skipped } = decideWrite(member, { isPerson: caller.kind === 'USER', ...change }, now)
  const email = await changeEmail(tx, member, change)
  if (change.role !== undefined && caller.id === userId) {
    throw new Refusal(403, 'permission_denied', 'nobody changes the own role')
  }
  const { role = member.role } = change
  const updated = await tx.membership.update({
    where: { organizationId_userId: { organizationId, userId } },
    data: { ...data, role, email },
  })
  await addDepartment(tx, organizationId, data.department)
  const event = (action: string, of: Prisma.InputJsonValue = []) =>
    auditEvent(caller, requestId, { action, targetType: 'user', targetId: userId, changes: of })
  const events = [
    ...(Array.isArray(changes) && changes.length > 0 ? [event('user.update', changes)] : []),
    ...(role === member.role ? [] : [event('user.update_role')]),
    ...(email === member.email ? [] : [event('user.update_email')]),
  ]
  await tx.auditEvent.createMany({ data: events })
  return { data: userJson(updated, email), ...skipped }
}

/** A member, whose row is locked by changing it. Throws 404. */
export async function lockMember(tx: Prisma.TransactionClient, { organizationId }: Caller, userId: string, now: Date) {
  try {
    return await tx.membership.update({
      where: { organizationId_userId: { organizationId, userId } },
      data: { updatedAt: now },
    })
  } catch (error) {
    throw isKnown(error, 'P2025') ? notFound(`user ${userId}`) : error
  }
}

interface Addressee {
  readonly organizationId: string
  readonly userId: string
  readonly email: string
  readonly directoryManaged: boolean
  readonly inSeveralOrganizations: boolean
}

/** The address after the change, which the member can have. */
async function changeEmail(
  tx: Prisma.TransactionClient,
  { organizationId, email: current, directoryManaged, inSeveralOrganizations }: Addressee,
  { email = current, values, releases, role }: UserChange,
): Promise<string> {
  const emailKey = email.toLowerCase()
  if (emailKey === current.toLowerCase()) return current
  if (values.size + releases.size > 0 || role !== undefined) throw invalid('email must be the only change')
  if (directoryManaged) throw failedPrecondition('the user comes from the directory')
  if (inSeveralOrganizations) throw failedPrecondition('the user belongs to several organizations')
  await requireFreeEmail(tx, organizationId, emailKey)
  return email
}

async function requireFreeEmail(tx: Prisma.TransactionClient, organizationId: string, emailKey: string): Promise<void> {
  const where = { organizationId_emailKey: { organizationId, emailKey } }
  const holder = await tx.membership.findUnique({ where, select: { userId: true, firstName: true, lastName: true } })
  if (holder === null) return
  const { userId, firstName, lastName } = holder
  throw new Refusal(409, 'already_exists', `the email address belongs to ${firstName} ${lastName} (user ${userId})`)
}

interface JoiningUser extends Pick<UserChange, 'values' | 'pins'> {
  readonly email: string
  readonly role: UserRole
}

async function createUser(tx: Prisma.TransactionClient, caller: Caller, joining: JoiningUser, requestId: string) {
  const { organizationId } = caller
  const { email, role, ...write } = joining
  const now = new Date()
  const userId = v7()
  const { data, changes } = decideWrite({}, { isPerson: caller.kind === 'USER', ...write }, now)
  await requireFreeEmail(tx, organizationId, email.toLowerCase())
  const member = await tx.membership.create({
    data: { organizationId, userId, email, role, ...data },
  })
  await addDepartment(tx, organizationId, data.department)
  const audited = { action: 'user.create', targetType: 'user', targetId: userId, changes }
  await tx.auditEvent.create({ data: auditEvent(caller, requestId, audited), select: { id: true } })
  return { data: userJson(member, email) }
}

async function addDepartment(tx: Prisma.TransactionClient, organizationId: string, name = ''): Promise<void> {
  if (name === '') return
  await tx.departmentOption.createMany({ data: [{ id: v7(), organizationId, name }], skipDuplicates: true })
}

/** The values of a request in the form in which they are stored. */
function valuesOf(body: Readonly<Partial<Record<TextField, string>>>): Map<GovernedField, string> {
  const values = new Map<GovernedField, string>()
  const set = (field: TextField, canonical: (text: string) => string | undefined = (text) => text) => {
    const given = body[field]
    if (given === undefined) return
    const value = given === '' ? '' : canonical(given)
    if (value === undefined) throw invalid(`${field} is not valid`)
    values.set(field, value)
  }
  for (const field of ['firstName', 'lastName', 'department', 'jobTitle'] as const) set(field)
  set('avatarUrl', (url) => (URL.canParse(url) && url.startsWith('https://') ? new URL(url).href : undefined))
  set('timezone', canonicalTimezone)
  set('locale', canonicalLocale)
  set('primaryPhone', (number) => parsePhoneNumberFromString(number)?.number)
  return values
}

function canonicalTimezone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

function fieldsOf(names: readonly string[]): Set<GovernedField> {
  return new Set(
    names.map((name) => {
      const field = fieldOfName(name)
      if (field === undefined) throw invalid(`${name} is no field`)
      return field
    }),
  )
}

function pinsOf(
  names: readonly string[],
  values: ReadonlyMap<GovernedField, string>,
  isAllowed: (field: GovernedField) => boolean,
): Set<GovernedField> {
  const pins = fieldsOf(names)
  for (const field of pins) if (!isAllowed(field) || !values.has(field)) throw invalid(`${field} cannot be pinned`)
  return pins
}

const roles = new Map<string | undefined, UserRole>([
  ['USER_ROLE_ORG_ADMIN', 'ORG_ADMIN'],
  ['USER_ROLE_ORG_MEMBER', 'ORG_MEMBER'],
  ['USER_ROLE_ORG_GUEST', 'ORG_GUEST'],
])

function roleOf({ role }: Pick<CreateBody, 'role'>): UserRole | undefined {
  return roles.get(role)
}

async function refusingTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isKnown(error, 'P2002') ? new Refusal(409, 'already_exists', 'the value belongs to another user') : error
  }
}

function isKnown(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_argument', message)
}

/** The error for a change that the state of a user does not allow. */
export function failedPrecondition(message: string): Refusal {
  return new Refusal(400, 'failed_precondition', message)
}
