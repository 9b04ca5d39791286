import { channel } from 'node:diagnostics_channel'
import pg from 'pg'
import type { Prisma } from '../../gen/prisma/client.js'

/** PostgreSQL's names of the column types for a type of a row. An enum is `enum` and its name. */
type TypeOf<Value> = Value extends string
  ? 'text' | 'uuid' | `enum ${string}`
  : Value extends boolean
    ? 'bool'
    : Value extends number
      ? 'int4' | 'float8'
      : Value extends bigint
        ? 'int8'
        : Value extends Date
          ? 'timestamptz' | 'date'
          : Value extends Uint8Array
            ? 'bytea'
            : Value extends readonly string[]
              ? 'text[]' | 'json' | 'jsonb'
              : 'json' | 'jsonb'

export type Columns<Row> = { readonly [Column in keyof Row & string]: TypeOf<NonNullable<Row[Column]>> }

/** A parameter in the text of a statement; it takes the place of the value in `Prisma.sql`. */
export interface Parameter {
  readonly parameter: string
}

export type Places<Parameters> = { readonly [Name in keyof Parameters & string]-?: Parameter }

export interface StatementDefinition<Parameters, Row> {
  /** In the form `update_priority`; always denotes the same text. */
  readonly name: string
  /** The columns of its rows and their types; none if it returns no rows. */
  readonly columns: Columns<Row>
  /** `anew` if the plan must fit the values of each call. Default: `once`, which lets PostgreSQL keep one. */
  readonly planned?: 'once' | 'anew'
  /** Composes the text, once. A text that is planned anew may contain values: those are the same for every call. */
  readonly text: (places: Places<Parameters>) => Prisma.Sql
}

/**
 * A statement with a name. Its text is the same for every call, so that it is prepared once per connection; a call
 * gives its values by the names of the parameters.
 */
export interface Statement<Parameters, Row> extends Required<Omit<StatementDefinition<Parameters, Row>, 'text'>> {
  /** The text with `$1`, `$2` … for its parameters, each of which has one number wherever it occurs. */
  readonly text: string
  /** The values of a call in the order of their numbers. */
  values(parameters: Parameters): unknown[]
  /** Never set: carries the type of the rows. */
  readonly row?: Row
}

/** Announces each statement that is made to whoever subscribes, such as the tests, which examine all of them. */
const made = channel('svc:statement')

export function createStatement<Parameters, Row>({
  name,
  columns,
  planned = 'once',
  text,
}: StatementDefinition<Parameters, Row>): Statement<Parameters, Row> {
  const { strings, values } = text(createPlaces())
  /** The parameter with each number, or the value. */
  const distinct: { readonly parameter?: string; readonly value?: unknown }[] = []
  const numbers = values.map((value) => {
    if (!isParameter(value)) {
      if (planned === 'once') throw new Error(`the text of ${name} contains a value: pass it as a parameter`)
      return distinct.push({ value })
    }
    const known = distinct.findIndex(({ parameter }) => parameter === value.parameter)
    return known === -1 ? distinct.push(value) : known + 1
  })
  const statement: Statement<Parameters, Row> = {
    name,
    columns,
    planned,
    text: strings.reduce((before, after, index) => `${before}$${numbers[index - 1]}${after}`),
    values: (parameters) => {
      const given: Readonly<Record<string, unknown>> = Object(parameters)
      return distinct.map(({ parameter, value }) => (parameter === undefined ? value : (given[parameter] ?? null)))
    },
  }
  made.publish(statement)
  return statement
}

/** Returns a place for every name that the text asks for. */
function createPlaces<Parameters>(): Places<Parameters> {
  return new Proxy<Places<Parameters>>(Object.create(null), {
    get: (_, name): Parameter => ({ parameter: String(name) }),
  })
}

function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'parameter' in value
}

declare module 'pg' {
  interface QueryConfig {
    /** In milliseconds; past it the query fails, and its connection is unusable. 0 is no limit. */
    query_timeout?: number
  }
}

/** How a statement is sent, and how long its result is of use to its sender. */
export interface StatementBounds {
  /** Whether the statement is prepared under its name. */
  readonly isNamed: boolean
  /** Asked before each statement. Throws when nothing more must be sent. */
  readonly throwIfOver?: (() => void) | undefined
  /** On the clock of `performance.now`. A connection that has not answered shortly afterwards is given up. */
  readonly deadline?: number | undefined
}

/** How long after the deadline a response may come: in that time the server reports that it has ended the statement. */
export const ANSWER_MILLIS = 1_000

/** Runs a statement on one connection and returns its rows. */
export async function runOn<Parameters, Row>(
  client: pg.ClientBase,
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
  { throwIfOver, deadline, isNamed }: StatementBounds,
): Promise<Row[]> {
  throwIfOver?.()
  const { name, text, planned, values } = statement
  const query = {
    name: isNamed && planned === 'once' ? name : '',
    text,
    values: values(parameters),
    types,
    query_timeout: answerMillis(deadline),
  }
  return (await client.query<Row & pg.QueryResultRow>(query)).rows
}

/** On the clock of `performance.now`; undefined without a limit. */
export function deadlineIn(millis: number | undefined): number | undefined {
  return millis === undefined ? undefined : performance.now() + millis
}

/** Reads values as Prisma does, so that a statement has the same rows on every path. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return BigInt
    if (oid === pg.types.builtins.DATE) return (text: string) => new Date(text)
    return pg.types.getTypeParser(oid, format)
  },
}

/** How long a response by the deadline may take; 0, which is as long as it takes, if there is none. */
export function answerMillis(deadline: number | undefined): number {
  return deadline === undefined ? 0 : Math.max(0, Math.ceil(deadline - performance.now())) + ANSWER_MILLIS
}
