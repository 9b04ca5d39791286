import { connect, type Socket } from 'node:net'

// The load of bench/rest.ts, in a separate process: keep-alive connections with one request at a time on each.

interface Job {
  readonly port: number
  readonly request: string
  readonly connections: number
  readonly milliseconds: number
}

process.on('message', (job: Job) => {
  void run(job).then((requests) => process.send?.(requests))
})

async function run(job: Job): Promise<number> {
  const bytes = Buffer.from(job.request, 'latin1')
  let done = 0
  let stopped = false
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)))
  for (const socket of sockets) {
    let left = 0
    socket.on('data', (chunk: Buffer) => {
      left = left > 0 ? left - chunk.length : responseLength(chunk) - chunk.length
      if (left > 0) return
      done++
      if (!stopped) socket.write(bytes)
    })
    socket.write(bytes)
  }
  await new Promise((resolve) => setTimeout(resolve, job.milliseconds))
  stopped = true
  const counted = done
  for (const socket of sockets) socket.destroy()
  return counted
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true)
    socket.once('error', reject)
  })
}

// Every answer of this benchmark has a length and a head that fits one packet.
function responseLength(chunk: Buffer): number {
  const head = chunk.indexOf('\r\n\r\n')
  const text = chunk.toString('latin1', 0, head)
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer: ${text.slice(0, 100)}`)
  return head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1])
}
