import { create } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import {
  type User,
  UserRoleSchema,
  UserService,
  UserUpdateOutcome,
  type UserUpdateResult,
  UserUpdateSchema,
} from '../../../../gen/svc/v2/user_pb.js'
import { failureFrom } from '../../api/failure.js'
import { callTagged } from '../../api/tagged.js'
import { enumText, labelOf } from '../../api/words.js'
import { type CsvUpdate, columns, MAX_UPDATES } from './csv-updates.js'

const { batchUpdateUsers, listUsers } = UserService.method

/** What one line of a file changes, or why it changes nothing. */
export interface PlannedLine {
  readonly line: number
  /** The id of the person, or what names them where nobody is found. */
  readonly userId: string
  readonly person?: User | undefined
  readonly outcome: UserUpdateOutcome
  /** In words, each with the value before and after. */
  readonly changes: readonly string[]
  readonly result?: UserUpdateResult
  /** What is wrong with the line. */
  readonly fault?: string
}

/** The plan of a file: what is sent, and a line for each row, good or bad, in no order. */
export interface Plan {
  readonly updates: readonly CsvUpdate['update'][]
  readonly lines: readonly PlannedLine[]
}

interface Asked {
  readonly line: number
  readonly update: CsvUpdate['update']
  readonly person: User | undefined
}

/** Parts of a list, each as large as one call takes. */
export function* partsOf<T>(list: readonly T[]): Generator<T[]> {
  for (let from = 0; from < list.length; from += MAX_UPDATES) yield list.slice(from, from + MAX_UPDATES)
}

/** Asks the service what the updates of a file would do; lines that it cannot take stand beside the others. */
export async function planUpdates(transport: Transport, given: readonly CsvUpdate[]): Promise<Plan> {
  const seen = new Map<string, number>()
  const plans: Plan[] = []
  for (const part of partsOf(given)) plans.push(await planPart(transport, part, seen))
  return { updates: plans.flatMap(({ updates }) => updates), lines: plans.flatMap(({ lines }) => lines) }
}

/** The plan of as much as one call takes, given the lines of the people before. */
async function planPart(transport: Transport, given: readonly CsvUpdate[], seen: Map<string, number>): Promise<Plan> {
  const people = await readPeople(transport, given)
  const settled: PlannedLine[] = []
  let asked: Asked[] = []
  for (const [index, { line, address, update }] of given.entries()) {
    const person = people[index]
    const id = update.id || person?.id
    const before = id === undefined ? undefined : seen.get(id)
    if (id === undefined) settled.push(badLine(line, address ?? '', `Nobody has the email ${address}.`))
    else if (before !== undefined) settled.push(badLine(line, id, `Line ${before} is about the same person.`, person))
    else {
      seen.set(id, line)
      const changes = person ? changesIn(update, person) : update
      if (changes === undefined) settled.push({ line, userId: id, outcome: UserUpdateOutcome.UNCHANGED, changes: [] })
      else asked.push({ line, update: { ...changes, id }, person })
    }
  }
  // Each answer names the lines that cannot be read; the others are asked for again without them.
  while (asked.length > 0) {
    try {
      const users = asked.map(({ update }) => update)
      const { message } = await callTagged(transport, batchUpdateUsers, { users, validateOnly: true })
      return { updates: users, lines: [...settled, ...asked.flatMap((each, at) => lineFrom(each, message.data[at]))] }
    } catch (error) {
      const refused = new Map<number, string[]>()
      for (const { field, description } of failureFrom(error).faults) {
        const [, index = '', name = ''] = /^users\[(\d+)\]\.?(.*)$/.exec(field) ?? []
        if (index !== '')
          refused.set(Number(index), [...(refused.get(Number(index)) ?? []), `${labelOf(name)} ${description}`])
      }
      if (refused.size === 0) throw error
      for (const [index, faults] of refused) {
        const each = asked[index]
        if (each !== undefined) settled.push(badLine(each.line, each.update.id, `${faults.join('. ')}.`, each.person))
      }
      asked = asked.filter((_, index) => !refused.has(index))
    }
  }
  return { updates: [], lines: settled }
}

/** A line that changes nothing, and why. */
export function badLine(line: number, userId: string, fault: string, person?: User): PlannedLine {
  return { line, userId, person, outcome: UserUpdateOutcome.REFUSED, changes: [], fault }
}

function lineFrom({ line, update, person }: Asked, result: UserUpdateResult | undefined): PlannedLine | [] {
  if (result === undefined) return []
  const { outcome, userId } = result
  return { line, userId, person, outcome, result, changes: changesOf(result, person, update) }
}

/** The people whom updates are about, as they are now; undefined for those who are not found. */
async function readPeople(transport: Transport, given: readonly CsvUpdate[]): Promise<(User | undefined)[]> {
  const read = async (request: { readonly ids: string[] } | { readonly emails: string[] }) => {
    const isEmpty = Object.values(request).every((values) => values.length === 0)
    return isEmpty
      ? []
      : (await callTagged(transport, listUsers, { ...request, includeDeactivated: true })).message.data
  }
  const ids = given.flatMap(({ update }) => update.id || [])
  // What is no address finds nobody, and does not keep the others from being found.
  const emails = given.flatMap(({ address = '' }) => (/^[^,]{1,255}$/.test(address) ? address : []))
  const people = (await Promise.all([read({ ids }), read({ emails })])).flat()
  const known = new Map(people.flatMap((user) => [[user.id, user] as const, [keyOf(user.email), user] as const]))
  return given.map(({ update, address }) => known.get(address === undefined ? update.id : keyOf(address)))
}

/** What addresses are compared by. */
const keyOf = (address: string): string => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The fields that change, each with the value before and after. */
function changesOf(result: UserUpdateResult, before: User | undefined, update: CsvUpdate['update']): string[] {
  return result.changedFields.map((field) => {
    const [was, will] = [textOf(before, field), textOf(update, field)]
    return `${labelOf(field)}: ${was || '(empty)'} → ${will || '(empty)'}`
  })
}

/** The values of an update that a person does not have; undefined where there are none. */
function changesIn(update: CsvUpdate['update'], person: User): CsvUpdate['update'] | undefined {
  const changes = columns.slice(1).flatMap((name) => {
    const value: unknown = Reflect.get(update, name)
    return value === undefined || isSame(textOf(update, name), textOf(person, name)) ? [] : [[name, value]]
  })
  return changes.length === 0 ? undefined : create(UserUpdateSchema, Object.fromEntries(changes))
}

/** Whether a cell has a text, blanks around it aside, as it is or as the number that a spreadsheet saves in its place. */
function isSame(cell: string, text: string): boolean {
  const [given, had] = [cell, text].map((each) => each.replaceAll(/\r\n?/g, '\n').trim()) as [string, string]
  if (given === had || !/^(?:[+0]\d+|\d{12,})$/.test(had)) return given === had
  const [saved, number] = [Number(given.replace(',', '.')), Number(had)]
  return saved === number || saved === Number(number.toPrecision(6))
}

/** The text of a field; the one that is no text is the role. */
function textOf(values: object | undefined, field: string): string {
  const value: unknown = values && Reflect.get(values, field)
  if (typeof value === 'number') return enumText(UserRoleSchema, value)
  return typeof value === 'string' ? value : ''
}
