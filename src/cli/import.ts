import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, PassThrough, pipeline } from 'node:stream'
import { pipeline as pipelineToEnd } from 'node:stream/promises'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import { codeOf } from '../db/errors.js'
import { exportRecords } from '../transfer/export-records.js'
import { type ImportPlan, type ImportSummary, importRecords, planImport } from '../transfer/import-records.js'
import type { ImportOptions, ImportProgress } from '../transfer/stage-lines.js'
import type { Chunks } from '../transfer/text-lines.js'
import { aligned, answer, type CommandContext } from './command-context.js'

type ImportCommandOptions = { readonly [Name in 'plan' | 'merge' | 'force' | 'json']?: true }

/** `svc import FILE|-`: imports records, all or nothing, or shows what that would do. */
export function registerImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('import newline-delimited JSON records, all or nothing')
    .argument('<file>', 'the file, or - for standard input')
    .option('--plan', 'show what would happen to each record, without writing anything')
    .option('--merge', 'keep the values of fields that a record omits, instead of clearing them')
    .option('--force', 'also reactivate users, and detach them or their fields from the directory')
    .option('--json', 'print one JSON object')
    .action((file: string, options: ImportCommandOptions) => importFile(file, options, context))
}

export function registerExportCommand(program: Command, context: CommandContext): void {
  const { stdout, stopSignal: signal } = context
  program
    .command('export')
    .description('write the whole database to standard output as newline-delimited JSON records')
    .action(() =>
      context.onDatabase(async (database) => {
        try {
          await pipelineToEnd(exportLines(database), stdout, { end: false, signal })
        } catch (error) {
          // The reader has stopped reading, as in `svc export | head`.
          if (codeOf(error) !== 'EPIPE') throw error
        }
      }),
    )
}

async function* exportLines(database: Database): AsyncGenerator<string> {
  for await (const json of exportRecords(database, null)) yield `${json}\n`
}

async function importFile(file: string, options: ImportCommandOptions, context: CommandContext): Promise<void> {
  const { chunks, size } = await openInput(file, context)
  const { runtime, stopSignal: signal, stderr } = context
  const importOptions = { runtime, isMerge: options.merge, isForced: options.force, signal }
  const importBy = async <T>(
    work: (database: Database, chunks: Chunks, options: ImportOptions) => Promise<T>,
    database: Database,
  ): Promise<T> => {
    const bar = startBar(stderr, size)
    const onProgress = (progress: ImportProgress) =>
      bar.update('line' in progress ? { lines: progress.line } : { phase: `writing ${progress.kind}` })
    try {
      return await work(database, counted(chunks, bar), { ...importOptions, onProgress })
    } finally {
      bar.stop()
    }
  }
  if (options.plan) {
    const { plan, isForceable } = await context.onDatabase((database) => importBy(planImport, database))
    answer(context, options, plan, textFromPlan(plan))
    // The plan of an import that would fail has the exit status of that import.
    const refused = plan.records.filter(({ outcome }) => outcome === 'refused').length
    const hint = isForceable ? '; use --force to import everything' : ''
    const text = `nothing would be imported: ${refused} of ${plan.records.length} refused${hint}`
    if (refused > 0) throw new Error(text)
  } else {
    const summary = await context.onPreparedDatabase((database) => importBy(importRecords, database))
    answer(context, options, summary, textFromSummary(summary))
  }
}

async function openInput(file: string, context: CommandContext) {
  const { stdin, stopSignal: signal } = context
  if (file === '-') return { chunks: stoppable(stdin, signal), size: undefined }
  const status = await stat(file).catch((error: unknown) => {
    throw new Error(`cannot read ${file}: ${faults.get(codeOf(error)) ?? String(error)}`, { cause: error })
  })
  if (status.isDirectory()) throw new Error(`cannot read ${file}: it is a folder`)
  return { chunks: createReadStream(file, { signal }), size: status.isFile() ? status.size : undefined }
}

const faults: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'permission denied'],
])

/** Stops waiting for input when the operator stops the program. */
function stoppable(stdin: CommandContext['stdin'], signal: AbortSignal): PassThrough {
  const chunks = new PassThrough()
  // Whatever ends one of the two also ends the other, and reading reports it.
  pipeline(stdin, chunks, () => {})
  return addAbortSignal(signal, chunks)
}

/** A bar on a terminal, nothing elsewhere. */
function startBar(stderr: CommandContext['stderr'], size: number | undefined): SingleBar {
  const format = size === undefined ? '{phase} {lines} lines' : '{bar} {percentage}% {phase} {lines} lines'
  const bar = new SingleBar({ format, stream: stderr, clearOnComplete: true, hideCursor: true, barsize: 30 })
  bar.start(size ?? 0, 0, { phase: 'reading', lines: 0 })
  return bar
}

async function* counted(chunks: Chunks, bar: SingleBar): Chunks {
  for await (const chunk of chunks) {
    yield chunk
    bar.increment(typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length)
  }
}

function textFromSummary({ kinds }: ImportSummary): string {
  if (kinds.length === 0) return 'nothing to import\n'
  return aligned(
    kinds.map(({ kind, records, created, updated }) => {
      const changed = updated === 0 ? '' : `, ${updated} changed`
      return [kind, `${records} (${created} new${changed})`]
    }),
  )
}

function textFromPlan({ records }: ImportPlan): string {
  if (records.length === 0) return 'nothing to import\n'
  return records
    .map(({ line, kind, id, outcome, fields, faults }) => {
      const details = outcome === 'refused' ? faults.join('; ') : fields.join(', ')
      return `line ${line}: ${kind} ${id} ${outcome}${details === '' ? '' : `: ${details}`}\n`
    })
    .join('')
}
