import { Prisma } from '../../gen/prisma/client.js'

/**
 * Why a statement is written in SQL instead of being asked of Prisma's models: a write and its audit event in one round
 * trip; JSON that the database prints; sets of rows; locks of rows and of words; pages by keyset, and recursion.
 */
export type StatementReason = 'write with audit event' | 'printed JSON' | 'set' | 'lock' | 'keyset or recursion'

/** The types of columns that stand for a type of a row, by PostgreSQL's names. An enum is `enum` and its name. */
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

/** The place of a parameter in the text of a statement; it takes the place of the value in `Prisma.sql`. */
export interface Parameter {
  readonly parameter: string
}

/** The places of the parameters of a statement, by name. */
export type Places<Parameters> = { readonly [Name in keyof Parameters & string]-?: Parameter }

/** What a statement is made of. */
export interface StatementDefinition<Parameters, Row> {
  /** In the form `update_priority`; stands for one text for ever. */
  readonly name: string
  readonly reason: StatementReason
  /** The columns of its rows and their types, none where it answers no rows. */
  readonly columns: Columns<Row>
  /** `anew` where the plan has to fit the values of each call. Default: `once`, PostgreSQL may keep one. */
  readonly planned?: 'once' | 'anew'
  /** Composes the text, once. */
  readonly text: (places: Places<Parameters>) => Prisma.Sql
}

/**
 * A statement with a name. Its text is the same for every call, so that it is prepared once per connection; the values of
 * a call are given by the names of its parameters.
 */
export interface Statement<Parameters, Row> {
  readonly name: string
  readonly reason: StatementReason
  readonly columns: Columns<Row>
  /** The text with `$1`, `$2` … for its parameters, each of which has one number wherever it stands. */
  readonly text: string
  /** Where it runs: through Prisma's `$queryRaw`, or `prepared` on the pool past Prisma. */
  readonly path: 'prisma' | 'prepared'
  /** Whether its plan may be kept, or has to fit the values of each call. */
  readonly planned: 'once' | 'anew'
  /** The values of a call in the order of the numbers. */
  values(parameters: Parameters): unknown[]
  /** The text and the values of a call for `$queryRaw`. */
  bound(parameters: Parameters): Prisma.Sql
  /** Never set: holds the type of the rows. */
  readonly row?: Row
}

/** A statement that may go past Prisma. Everything that takes statements takes it. */
export interface PreparedStatement<Parameters, Row> extends Statement<Parameters, Row> {
  readonly path: 'prepared'
}

/** Makes a statement that runs through Prisma. */
export function createStatement<Parameters, Row>(
  definition: Omit<StatementDefinition<Parameters, Row>, 'planned'>,
): Statement<Parameters, Row> {
  return { ...compiled(definition), path: 'prisma' }
}

/** Makes a statement that runs past Prisma, for those of which the benchmark shows that it matters. */
export function createPreparedStatement<Parameters, Row>(
  definition: StatementDefinition<Parameters, Row>,
): PreparedStatement<Parameters, Row> {
  return { ...compiled(definition), path: 'prepared' }
}

function compiled<Parameters, Row>({
  name,
  reason,
  columns,
  planned = 'once',
  text,
}: StatementDefinition<Parameters, Row>): Omit<Statement<Parameters, Row>, 'path'> {
  const composed = text(createPlaces())
  const places = composed.values.map((value) => nameOf(name, value))
  const names = [...new Set(places)]
  const numbers = new Map(names.map((each, index) => [each, index + 1]))
  const valuesOf = (parameters: Parameters, some: readonly string[]) => {
    const given: Readonly<Record<string, unknown>> = Object(parameters)
    return some.map((each) => given[each] ?? null)
  }
  return {
    name,
    reason,
    columns,
    planned,
    text: composed.strings.reduce(
      (before, after, index) => `${before}$${numbers.get(places[index - 1] ?? '')}${after}`,
    ),
    values: (parameters) => valuesOf(parameters, names),
    // Prisma numbers each place anew.
    bound: (parameters) => Prisma.sql(composed.strings, ...valuesOf(parameters, places)),
  }
}

/** Answers a place for every name that the text asks for. */
function createPlaces<Parameters>(): Places<Parameters> {
  return new Proxy<Places<Parameters>>(Object.create(null), {
    get: (_, name): Parameter => ({ parameter: String(name) }),
  })
}

function nameOf(statement: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && 'parameter' in value && typeof value.parameter === 'string') {
    return value.parameter
  }
  throw new Error(`the text of ${statement} holds a value: only parameters may stand in it`)
}

/** Whether a statement goes past Prisma. */
export function isPrepared<Parameters, Row>(
  statement: Statement<Parameters, Row>,
): statement is PreparedStatement<Parameters, Row> {
  return statement.path === 'prepared'
}
