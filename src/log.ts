import { type DestinationStream, type Logger, pino } from 'pino'
import { withoutCredentials } from './http/credential-redaction.js'

/** Creates the log, one JSON object a line. Every line loses the credentials in it, whoever wrote them and where. */
export function createRedactedLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, hooks: { streamWrite: withoutCredentials } }, destination)
}
