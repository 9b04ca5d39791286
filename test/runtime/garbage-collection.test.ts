import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from '@jest/globals'
import { createTestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'

const main = join(import.meta.dirname, '../../dist/svc/main.js')
const module = new URL('../../dist/src/runtime/garbage-collection.js', import.meta.url).href

/** Keeps objects for good and texts of a megabyte for a while, and returns the most bytes that its heap then has. */
function peakOfTexts(preparation: string): number {
  const program = `${preparation}
    const kept = Array.from({ length: 300_000 }, (_, index) => ({ index, list: [index] }))
    const texts = []
    let peak = 0
    for (let index = 0; index < 2_000; index++) {
      texts[index % 16] = Buffer.alloc(1_000_000, 97).toString('latin1').slice(1)
      if (index > 500 && index % 10 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
    }
    console.log(kept.length && peak)`
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }))
}

test('V8 keeps garbage from long texts below several times the memory in use', () => {
  const most = 150_000_000
  // Later versions of Node collect earlier by themselves.
  expect(peakOfTexts('')).toBeGreaterThan(process.version.startsWith('v20.') ? most : 0)
  expect(peakOfTexts(`import { tuneGarbageCollection } from '${module}'; tuneGarbageCollection()`)).toBeLessThan(most)
})

test('the memory of a call is collected while it is young', async () => {
  const database = await createTestDatabase()
  const program = spawn(process.execPath, ['--trace-gc', main, 'serve', '--no-demo'], {
    env: { PATH: process.env['PATH'], PORT: '0', DRAIN_SECONDS: '0', ...database.environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = once(program, 'close')
  const lines: string[] = []
  const output = createInterface({ input: program.stdout }).on('line', (line) => lines.push(line))
  try {
    await eventually(() => expect(lines.join('\n')).toMatch(/listens on http/))
    const origin = /listens on (\S+)/.exec(lines.join('\n'))?.[1]
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const call = async () => {
      const request = get(`${origin}/v2/users/nobody`, { agent, headers: { authorization: 'Bearer none' } })
      const [response] = await once(request, 'response')
      await once(response.resume(), 'end')
    }
    const calls = async (count: number) => {
      for (let done = 0; done < count; done += 16) await Promise.all(Array.from({ length: 16 }, call))
    }
    await calls(2_400)
    const before = lines.length
    await calls(4_800)
    agent.destroy()
    // Each line says what was in use before and after, in MB.
    const left = lines.slice(before).flatMap((line) => /Scavenge .*-> ([\d.]+) /.exec(line)?.[1] ?? [])
    expect(left.length).toBeGreaterThan(2)
    const grownBytes = (Number(left.at(-1)) - Number(left[0])) * 1_000_000
    expect(grownBytes / 4_800).toBeLessThan(1_000)
  } finally {
    program.kill('SIGTERM')
    await exit
    output.close()
    await database.drop()
  }
})
