import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// A generator for Prisma: writes the structure of the tables into a module that is used at run time. Prisma sends
// JSON-RPC requests as lines and reads the answers from standard error.

const scalarTypes = { String: 'text', Int: 'int4', BigInt: 'int8', Boolean: 'bool', Json: 'jsonb', Bytes: 'bytea' }

/** The type of a column by PostgreSQL's name; an enum is `enum` and its name. */
function typeOf(field, enums) {
  const native = field.nativeType?.[0].toLowerCase()
  const type = field.kind === 'enum' ? `enum ${enums.get(field.type)}` : (native ?? scalarTypes[field.type])
  if (type === undefined) throw new Error(`the column type of ${field.name} (${field.type}) is not known`)
  return field.isList ? `${type}[]` : type
}

/** Whether a column is `id`, or refers to one. */
function isId(models, model, name) {
  if (name === 'id') return true
  return model.fields.some(({ type, relationFromFields = [], relationToFields = [] }) => {
    const target = relationToFields[relationFromFields.indexOf(name)]
    // Rows of a table may refer to each other by a column that they share.
    if (target === undefined || (type === model.name && target === name)) return false
    return isId(models, models.get(type), target)
  })
}

const columnName = ({ name, dbName }) => dbName ?? name

/** The fields of the primary key, in its order. */
function keyOf({ fields, primaryKey }) {
  if (primaryKey === null) return fields.filter((field) => field.isId)
  return primaryKey.fields.map((each) => fields.find(({ name }) => name === each))
}

/** Columns and the tables they refer to: if several columns refer together, the one that identifies the row. */
function referencesOf(models, { fields }) {
  return fields.flatMap(({ type, relationFromFields = [], relationToFields = [] }) => {
    const target = models.get(type)
    const from = target && relationFromFields[relationToFields.indexOf(keyOf(target).at(-1).name)]
    return from === undefined ? [] : [[columnName(fields.find(({ name }) => name === from)), target.dbName]]
  })
}

/**
 * The relations whose rows refer to a row of the model and must be deleted before it. Rows that are deleted with it do
 * not count.
 */
function referrersOf(models, { fields }) {
  return fields
    .filter(({ isList, kind, type, relationName }) => {
      const other = models.get(type)?.fields.find((field) => field.relationName === relationName)
      return isList && kind === 'object' && other?.relationOnDelete === 'Restrict'
    })
    .map(({ name }) => name)
}

function tablesText({ models, enums }) {
  const names = new Map(enums.map((each) => [each.name, each.dbName ?? each.name]))
  const byName = new Map(models.map((model) => [model.name, model]))
  const tables = models.map((model) => {
    const columns = model.fields
      .filter(({ kind }) => kind !== 'object')
      .map((field) => [
        columnName(field),
        { type: typeOf(field, names), isNullable: !field.isRequired, isId: isId(byName, model, field.name) },
      ])
    const table = {
      name: model.dbName ?? model.name,
      columns: Object.fromEntries(columns),
      key: keyOf(model).map(columnName),
      references: Object.fromEntries(referencesOf(byName, model)),
      model: `${model.name[0].toLowerCase()}${model.name.slice(1)}`,
      referrers: referrersOf(byName, model),
    }
    return [model.name, table]
  })
  return `// The tables of prisma/schema.prisma by the names of its models. Generated, do not edit.
export const schema = ${JSON.stringify(Object.fromEntries(tables), undefined, 2)} as const
`
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = {}
  if (method === 'getManifest') result.manifest = { prettyName: 'schema', defaultOutput: '../gen/prisma/schema.ts' }
  else writeFileSync(params.generator.output.value, tablesText(params.dmmf.datamodel))
  process.stderr.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
