import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { packageRoot } from '../../src/package.js'

/** Any JSON object of the OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its own structure.
export type Json = any

const root = packageRoot()

/** The committed OpenAPI document of the whole API. */
export function readOpenApi(name = 'openapi'): Json {
  return JSON.parse(readFileSync(join(root, `gen/openapi/${name}.json`), 'utf8'))
}

/**
 * Validates values against schemas of a document. Responses must match the document exactly: objects that are
 * open to later fields for clients are closed here, so that an undocumented field is found.
 * `validateSchema: false` assumes that the schemas themselves are valid.
 */
export function createSchemaValidator(
  document: Json,
  { validateSchema }: { readonly validateSchema: boolean } = { validateSchema: true },
): (schema: Json, value: unknown) => string | undefined {
  const components = structuredClone(document.components)
  close(components.schemas)
  // Optimized code would take longer to make than it saves.
  const code = { optimize: false }
  const strictness = { strict: true, strictTypes: false, strictRequired: false }
  const ajv = new Ajv2020({ allErrors: true, ...strictness, validateSchema, code })
  ajv.addFormat('int32', { type: 'number', validate: (value: number) => value === (value | 0) })
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)) && /^\d{4}-\d{2}-\d{2}T/.test(text))
  ajv.addFormat('uuid', (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
  ajv.addFormat('email', (text) => /^[^@\s]+@[^@\s]+$/.test(text))
  ajv.addVocabulary(['components'])
  ajv.addSchema({ $id: 'openapi', components })
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const key = JSON.stringify(schema)
    const validate =
      compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components/', '"openapi#/components/')))
    compiled.set(key, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'value', separator: '\n' })
  }
}

function close(schema: Json): void {
  if (typeof schema !== 'object' || schema === null) return
  if (schema.type === 'object' && schema.properties !== undefined) schema.additionalProperties ??= false
  for (const part of Object.values(schema)) close(part)
}
