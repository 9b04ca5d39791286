#!/usr/bin/env node
// Stands in for the native schema engine that the `prisma` command would download. Speaks the same protocol, JSON-RPC
// in lines on standard input and output and a few `cli` commands, and has the WebAssembly build of the same engine do
// the work.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { databaseFactory, noDatabaseFactory, runStatement, urlOf } from './schema-engine-database.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'boolean', short: 'V' },
    datamodels: { type: 'string', short: 'd', multiple: true },
    datasource: { type: 'string' },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
  },
})
const datasource = options.datasource ? JSON.parse(options.datasource) : {}

let panic
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: (message) => {
    panic = message
  },
}

async function loadEngineModule() {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const directory = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'))
  const bytes = readFileSync(join(directory, 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return glue
}

async function createEngine() {
  const { SchemaEngine } = await loadEngineModule()
  const factory = datasource.url ? databaseFactory(datasource) : noDatabaseFactory()
  const datamodels = options.datamodels?.map((file) => [file, readFileSync(file, 'utf8')])
  return SchemaEngine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory))
}

async function call(engine, method, params) {
  if (method === 'getDatabaseVersion') return engine.version(params)
  if (method === 'createDatabase') return { databaseName: databaseName() }
  if (method === 'evaluateDataLoss' || method === 'createMigration') {
    // Both need the schema that results from the migrations, which this build only keeps from an earlier diagnosis.
    await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters })
  }
  if (typeof engine[method] !== 'function') throw new Error(`the schema engine has no method ${method}`)
  return engine[method](params)
}

async function serve() {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let engine
  const handle = async ({ id, method, params }) => {
    try {
      engine ??= await createEngine()
      let result = await call(engine, method, params)
      if (method === 'diff') {
        if (result.stdout != null)
          send({ id: `print-${id}`, method: 'print', params: { content: result.stdout.trimEnd() } })
        result = { exitCode: result.exitCode, stdout: null }
      }
      send({ id, result: result ?? null })
    } catch (error) {
      send({ id, error: rpcError(error) })
    }
  }
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const message = JSON.parse(line)
    if (message.method) await handle(message) // Anything else answers our own `print`.
  }
}

/** The engine puts messages for the user as JSON into the message, or into properties of the error. */
function rpcError(error) {
  let known = error
  try {
    known = JSON.parse(error.message)
  } catch {
    // The message is plain text.
  }
  return {
    code: 4466,
    message: 'An error happened. Check the data field for details.',
    data: {
      is_panic: error instanceof WebAssembly.RuntimeError,
      message: panic ?? known.message ?? String(error),
      error_code: known.error_code ?? error.code,
      meta: known.meta ?? error.meta ?? null,
    },
  }
}

function databaseName() {
  return decodeURIComponent(new URL(datasource.url).pathname.slice(1)) || 'postgres'
}

const CLI_ERRORS = {
  '3D000': ['P1003', () => `Database \`${databaseName()}\` does not exist`],
  '28P01': ['P1000', () => 'Authentication failed against the database server'],
  ECONNREFUSED: ['P1001', () => `Can't reach database server at \`${new URL(datasource.url).host}\``],
  ENOENT: ['P1001', () => "Can't reach database server: there is no such socket"],
  ENOTFOUND: ['P1001', () => `Can't reach database server at \`${new URL(datasource.url).host}\``],
}

async function runCliCommand(command) {
  const quoted = `"${databaseName().replaceAll('"', '""')}"`
  const admin = urlOf(datasource.url, 'postgres')
  try {
    if (command === 'can-connect-to-database') await runStatement(datasource.url)
    else if (command === 'create-database') await runStatement(admin, `CREATE DATABASE ${quoted}`)
    else if (command === 'drop-database') await runStatement(admin, `DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`)
    else throw new Error(`the schema engine has no command ${command}`)
  } catch (error) {
    const [code, message] = CLI_ERRORS[error.code] ?? ['P1010', () => error.message]
    const fields = { error_code: code, message: message(), is_panic: false }
    const timestamp = new Date().toISOString()
    console.error(JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', timestamp, fields }))
    process.exitCode = 1
  }
}

if (options.version) console.log(`schema-engine-wasm ${(await loadEngineModule()).version()}`)
else if (positionals[0] === 'cli') await runCliCommand(positionals[1])
else await serve()
