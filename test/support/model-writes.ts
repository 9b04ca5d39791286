import { schema } from '../../gen/prisma/schema.js'

const WRITE = /\b(\w+)\.(create|createManyAndReturn|update|updateManyAndReturn|upsert|delete)\(\{/g

/**
 * The writes through Prisma's models in a source that return an enum: Prisma requests it as text, which no cluster
 * returns from a write. Those without a literal `select` return every column.
 */
export function modelWritesReturningEnums(source: string): string[] {
  return [...source.matchAll(WRITE)].flatMap(({ 1: model = '', 2: operation, index }) => {
    const table = Object.entries(schema).find(([name]) => name.toLowerCase() === model.toLowerCase())?.[1]
    if (table === undefined) return []
    const selected = /\bselect: \{([^{}]*)\}/.exec(argumentsAt(source, source.indexOf('{', index)))?.[1]
    const returned = selected?.match(/\w+(?=: true)/g) ?? Object.keys(table.columns).map(camelCase)
    const enums = Object.entries(table.columns).filter(([, { type }]) => type.startsWith('enum '))
    const wrong = enums.map(([column]) => camelCase(column)).filter((name) => returned.includes(name))
    return wrong.length === 0 ? [] : [`${model}.${operation} returns ${wrong.join(', ')}`]
  })
}

/** From a brace to the one that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 0
  for (let end = start; end < source.length; end++) {
    if (source[end] === '{') depth++
    if (source[end] === '}') depth--
    if (depth === 0) return source.slice(start, end + 1)
  }
  return source.slice(start)
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
