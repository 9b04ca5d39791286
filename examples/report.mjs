import { ConnectError } from '@svc-admin/client'

/** Has an error that the service answers, or that keeps it from answering, end the program with its message alone. */
export function reportInOneLine() {
  process.on('uncaughtException', (error) => {
    console.error(error instanceof ConnectError ? error.message : error)
    process.exit(1)
  })
}
