import { readFile, rename, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { codeOf } from '../db/errors.js'
import { systemTiming } from '../db/retries.js'
import { tailEvents } from '../domain/event/event-tail.js'
import type { EventPage } from '../domain/event/feed-page.js'
import type { CommandContext } from './command-context.js'

interface TailCommandOptions {
  readonly org: string
  readonly from?: string
  readonly follow?: true
  readonly cursorFile?: string
}

export function registerEventsCommand(program: Command, context: CommandContext): void {
  program
    .command('events')
    .description('what has changed in an organization')
    .command('tail')
    .description('print events as newline-delimited JSON, the oldest first')
    .requiredOption('--org <id>', 'the organization')
    .option('--from <cursor>', 'begin after this cursor, or with "latest" after all; default: the oldest event')
    .option('--follow', 'wait for further events, until interrupted')
    .option('--cursor-file <path>', 'begin after the cursor in this file, if there is one, and keep it up to date')
    .action((options: TailCommandOptions) => tail(options, context))
}

async function tail(options: TailCommandOptions, context: CommandContext): Promise<void> {
  const { org: organizationId, follow: isFollowed = false, from = '', cursorFile } = options
  const { stdout, stderr, stopSignal: signal } = context
  const cursor = (cursorFile === undefined ? '' : await cursorIn(cursorFile)) || from
  let written: string | undefined
  const noteWritten = async ({ nextCursor }: EventPage) => {
    if (cursorFile !== undefined && nextCursor !== written) await replaceFile(cursorFile, `${nextCursor}\n`)
    written = nextCursor
  }
  await context.onDatabase(async (database) => {
    const pages = tailEvents(database, { organizationId, cursor, isFollowed, timing: systemTiming, signal })
    try {
      await pipeline(linesOf(pages, noteWritten), stdout, { end: false, signal })
    } catch (error) {
      // The reader has stopped reading, or the operator has stopped the program.
      if (codeOf(error) !== 'EPIPE' && !signal.aborted) throw error
    } finally {
      if (written !== undefined && cursorFile === undefined) stderr.write(`continue with --from ${written}\n`)
    }
  })
}

/** A line for each event; a page is noted once all of its lines are written. */
async function* linesOf(
  pages: AsyncIterable<EventPage>,
  noteWritten: (page: EventPage) => Promise<void>,
): AsyncGenerator<string> {
  for await (const page of pages) {
    const events: object[] = JSON.parse(`[${page.items}]`)
    if (events.length > 0) yield events.map((event) => `${JSON.stringify(event)}\n`).join('')
    await noteWritten(page)
  }
}

async function cursorIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/** Whoever reads the file finds the old text or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
