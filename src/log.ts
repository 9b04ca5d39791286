import { type DestinationStream, type Logger, pino } from 'pino'
import { withoutCredentials } from './http/credential-redaction.js'

/** Creates the log, one JSON object per line. Credentials are removed from every line, wherever they come from. */
export function createRedactedLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, hooks: { streamWrite: withoutCredentials } }, destination)
}
