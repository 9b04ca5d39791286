import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.js'
import { withoutCredentials } from '../http/credential-redaction.js'

// The formatter for terminals is loaded only for them.
const require = createRequire(import.meta.url)

/** File descriptor of the log: standard output is for the output of commands. */
const STANDARD_ERROR = 2

export interface LogTerminal {
  readonly isTTY?: boolean
  hasColors?(): boolean
}

/** Makes the log: JSON, or readable by people if the configuration says so or standard error is a terminal. */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  terminal: LogTerminal,
  fd: number = STANDARD_ERROR,
): Logger {
  const format = logFormat ?? (terminal.isTTY === true ? 'pretty' : 'json')
  if (format === 'json') return createRedactedLog(logLevel, pino.destination({ dest: fd, sync: true }))
  const pretty = require('pino-pretty') as typeof import('pino-pretty')
  const stream = pretty({
    destination: fd,
    sync: true,
    colorize: terminal.hasColors?.() === true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,method,path,status,durationMs',
    messageFormat: textFromEntry,
    singleLine: true,
  })
  return createRedactedLog(logLevel, stream)
}

function textFromEntry({ msg, method, path, status, durationMs }: Record<string, unknown>): string {
  if (path !== undefined) return [method, path, status, 'in', durationMs, 'ms'].join(' ')
  return method === undefined ? String(msg) : [msg, method].join(': ')
}

/** Creates the log, one JSON object per line. Credentials are removed from every line, wherever they come from. */
export function createRedactedLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, hooks: { streamWrite: withoutCredentials } }, destination)
}
