import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Report } from './report.js'

/** A line of bench/rest.ts: the name of a case, its throughput, and its share of that of a bare handler. */
const line = /^(.+?) +(\d+) requests\/s +(\d+\.\d+)(?: +\(at least (\d+\.\d+))?/

/** The transcoder alone beside a bare handler, as bench/rest.ts measures it. */
export async function benchTranscoder(report: Report): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./rest.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child, 'close')
  for (const text of output.split('\n')) {
    const [, name, , share, target] = line.exec(text) ?? []
    if (name === undefined) continue
    const work = `transcoder alone, ${name}: share of a bare handler's throughput`
    if (target === undefined) report.note(work, Number(share))
    else report.atLeast(work, Number(share), Number(target))
  }
}
