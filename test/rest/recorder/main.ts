import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { image } from '../fixture.js'
import { sendHttp1 } from '../http.js'
import { service } from '../row-service.js'
import { rows } from '../rows/index.js'
import { serveEcho } from './echo-service.js'
import { type Outcome, outcomeOf, stableText } from './outcome.js'

// describe: writes the descriptors of the service of the rows to the standard output, as a FileDescriptorSet.
// record <name>@<version>=<port>…: sends the rows to transcoders on ports of the loopback, which pass the calls on to
// ECHO_PORT over gRPC, and writes what became of them.

const ECHO_PORT = 8190
const FILE = 'test/rest/recorded-answers.ndjson'

interface Transcoder {
  readonly name: string
  readonly version: string
  readonly port: number
}

const [command, ...args] = process.argv.slice(2)
if (command === 'describe') process.stdout.write(descriptors())
else if (command === 'record' && args.length > 0) writeFileSync(FILE, await record(args.map(transcoderFromText)))
else throw new Error('usage: describe | record <name>@<version>=<port>…')

function descriptors(): Uint8Array {
  return toBinary(FileDescriptorSetSchema, { ...image, file: [...image.file, service.file.proto] })
}

function transcoderFromText(text: string): Transcoder {
  const [, name, version, port] = /^(.+)@(.+)=(\d+)$/.exec(text) ?? []
  if (name === undefined || version === undefined) throw new Error(`${text} is not <name>@<version>=<port>`)
  return { name, version, port: Number(port) }
}

/** The versions, then a line for each row, so that a difference shows which one it is. */
async function record(transcoders: readonly Transcoder[]): Promise<string> {
  const echo = await serveEcho(ECHO_PORT)
  for (const { port } of transcoders) while (!(await reachesEcho(port))) await setTimeout(100)
  echo.takeCall()
  const lines: unknown[] = [Object.fromEntries(transcoders.map(({ name, version }) => [name, version]))]
  for (const row of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const others: Record<string, Outcome> = {}
    for (const { name, port } of transcoders) {
      // A transcoder that breaks closes the connection.
      const response = await sendHttp1(port, row.request).catch(() => undefined)
      others[name] = outcomeOf(response, echo.takeCall())
    }
    lines.push({ row: row.name, others })
  }
  echo.close()
  return lines.map((line) => `${stableText(line)}\n`).join('')
}

// A transcoder that was started first may take a while to reconnect to the echo service.
async function reachesEcho(port: number): Promise<boolean> {
  const response = await sendHttp1(port, { target: '/v1/things/a' })
  return response.status === 200
}
