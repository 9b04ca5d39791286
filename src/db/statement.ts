import { channel } from 'node:diagnostics_channel'
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

/** The type of each column of a row. */
export type Columns<Row> = { readonly [Column in keyof Row & string]: TypeOf<NonNullable<Row[Column]>> }

/** A parameter in the text of a statement; it takes the place of the value in `Prisma.sql`. */
export interface Parameter {
  readonly parameter: string
}

/** The parameters of a statement in its text, by name. */
export type Places<Parameters> = { readonly [Name in keyof Parameters & string]-?: Parameter }

/** How a statement is defined. */
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
  /** Never set: holds the type of the rows. */
  readonly row?: Row
}

/** Announces each statement that is made to whoever subscribes, such as the tests, which examine all of them. */
const made = channel('svc:statement')

/** Makes a statement. */
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
