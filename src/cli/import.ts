import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, PassThrough, pipeline } from 'node:stream'
import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { type ImportProgress, importRecords } from '../transfer/import-records.js'
import type { ImportSummary } from '../transfer/import-rows.js'
import type { CommandContext } from './command-context.js'

/** `svc import FILE|-`: imports records, all or nothing, and says how many of each kind. */
export function registerImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('import newline-delimited JSON records, all or nothing')
    .argument('<file>', 'the file, or - for standard input')
    .action(async (file: string) => {
      const input = await openInput(file, context)
      const opened = await context.makeDatabase()
      const progress = createProgress(context.stderr, input.size)
      try {
        const summary = await importRecords(opened.database, progress.watch(input.chunks), {
          runtime: context.runtime,
          signal: context.stopSignal,
          onProgress: (step) => progress.show(step),
        })
        progress.stop()
        context.stdout.write(textFromSummary(summary))
      } finally {
        progress.stop()
        await opened.close()
      }
    })
}

interface Input {
  readonly chunks: AsyncIterable<Uint8Array | string>
  /** Bytes; absent if not known. */
  readonly size: number | undefined
}

async function openInput(file: string, context: CommandContext): Promise<Input> {
  const { stdin, stopSignal: signal } = context
  if (file === '-') return { chunks: stoppable(stdin, signal), size: undefined }
  const status = await stat(file)
  if (status.isDirectory()) throw new Error(`${file} is a folder`)
  return { chunks: createReadStream(file, { signal }), size: status.isFile() ? status.size : undefined }
}

/** Stops waiting for input when the operator stops the program. */
function stoppable(stdin: CommandContext['stdin'], signal: AbortSignal): PassThrough {
  const chunks = new PassThrough()
  // Whatever ends one of the two also ends the other, and reading reports it.
  pipeline(stdin, chunks, () => {})
  return addAbortSignal(signal, chunks)
}

interface Progress {
  /** Passes the chunks on and counts them. */
  watch(chunks: Input['chunks']): Input['chunks']
  show(progress: ImportProgress): void
  /** Clears the bar; may be called twice. */
  stop(): void
}

/** A bar on a terminal, nothing elsewhere. */
function createProgress(stderr: CommandContext['stderr'], size: number | undefined): Progress {
  if (stderr.isTTY !== true) return { watch: (chunks) => chunks, show: () => {}, stop: () => {} }
  const format = size === undefined ? '{phase} {lines} lines' : '{bar} {percentage}% {phase} {lines} lines'
  const bar = new SingleBar({ format, stream: stderr, clearOnComplete: true, hideCursor: true, barsize: 30 })
  bar.start(size ?? 0, 0, { phase: 'reading', lines: 0 })
  return {
    watch: async function* (chunks) {
      for await (const chunk of chunks) {
        yield chunk
        bar.increment(typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length)
      }
    },
    show: (progress) => {
      bar.update(
        progress.phase === 'read' ? { phase: 'reading', lines: progress.line } : { phase: `writing ${progress.kind}` },
      )
    },
    stop: () => bar.stop(),
  }
}

function textFromSummary({ kinds }: ImportSummary): string {
  if (kinds.length === 0) return 'nothing to import\n'
  const width = Math.max(...kinds.map(({ kind }) => kind.length))
  return kinds.map(({ kind, records, created }) => `${kind.padEnd(width)}  ${records} (${created} new)\n`).join('')
}
