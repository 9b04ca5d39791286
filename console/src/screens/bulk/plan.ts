import type { Transport } from '@connectrpc/connect'
import { type User, UserRoleSchema, UserService, type UserUpdateResult } from '../../../../gen/svc/v2/user_pb.js'
import { failureFrom } from '../../api/failure.js'
import { callTagged } from '../../api/tagged.js'
import { enumText, labelOf } from '../../api/words.js'
import type { CsvUpdate } from './csv-updates.js'

const { batchUpdateUsers, getUser, listUsers } = UserService.method

/** What one line of a file changes. */
export interface PlannedLine {
  readonly line: number
  readonly result: UserUpdateResult
  /** In words, each with the value before and after. */
  readonly changes: readonly string[]
}

/** The plan of a file: a line for each person; or what the service refuses, by line. */
export interface Plan {
  readonly updates: readonly CsvUpdate['update'][]
  readonly lines: readonly PlannedLine[]
  readonly faults: readonly string[]
}

/** Asks the service what the updates of a file would do. Throws what it answers, where no line is at fault. */
export async function planUpdates(transport: Transport, given: readonly CsvUpdate[]): Promise<Plan> {
  const people = await readPeople(transport, given)
  const unknown = given.flatMap(({ line, address }, index) =>
    address !== undefined && people[index] === undefined ? `line ${line}: nobody has the address ${address}` : [],
  )
  if (unknown.length > 0) return { updates: [], lines: [], faults: unknown }
  const updates = given.map(({ update }, index) => ({ ...update, id: update.id || (people[index]?.id ?? '') }))
  try {
    const { message } = await callTagged(transport, batchUpdateUsers, { users: updates, validateOnly: true })
    const lines = message.data.flatMap((result, index): PlannedLine | [] => {
      const asked = given[index]
      if (asked === undefined) return []
      return { line: asked.line, result, changes: changesOf(result, people[index], asked.update) }
    })
    return { updates, lines, faults: [] }
  } catch (error) {
    const faults = failureFrom(error).faults.map(({ field, description }) => {
      const [, index, name = ''] = /^users\[(\d+)\]\.?(.*)$/.exec(field) ?? []
      const line = given[Number(index)]?.line
      return line === undefined ? undefined : `line ${line}: ${name} ${description}`
    })
    const ofLines = faults.filter((fault) => fault !== undefined)
    if (ofLines.length === 0) throw error
    return { updates: [], lines: [], faults: ofLines }
  }
}

/** How many people are read at once. */
const AT_ONCE = 8

/** The people whom updates are about, as they are now; undefined for those who are not found. */
async function readPeople(transport: Transport, given: readonly CsvUpdate[]): Promise<(User | undefined)[]> {
  const people: (User | undefined)[] = []
  const waiting = [...given.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, { address, update }] = next
      people[index] = await readPerson(transport, address, update.id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return people
}

async function readPerson(transport: Transport, address: string | undefined, id: string): Promise<User | undefined> {
  if (address !== undefined) {
    const { message } = await callTagged(transport, listUsers, { email: address, includeDeactivated: true })
    return message.data[0]
  }
  try {
    return (await callTagged(transport, getUser, { id })).message.data
  } catch (error) {
    // The plan says of them what the service says.
    if (failureFrom(error).kind === 'missing') return undefined
    throw error
  }
}

/** The fields that change, each with the value before and after. */
function changesOf(result: UserUpdateResult, before: User | undefined, update: CsvUpdate['update']): string[] {
  return result.changedFields.map((field) => {
    const [was, will] = [textOf(before, field), textOf(update, field)]
    return `${labelOf(field)}: ${was || '(empty)'} → ${will || '(empty)'}`
  })
}

/** The text of a field; the one that is no text is the role. */
function textOf(values: object | undefined, field: string): string {
  const value: unknown = values && Reflect.get(values, field)
  if (typeof value === 'number') return enumText(UserRoleSchema, value)
  return typeof value === 'string' ? value : ''
}
