import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type EmbeddedServer, seed } from '../harness/database.js'
import { runProgram } from '../harness/programs.js'
import { importSize, operationsSize, place, recordLines } from '../harness/records.js'
import { removeEmbeddedPostgres } from '../harness/remove-embedded-postgres.js'
import { median } from './compare.js'
import type { Report } from './report.js'

const MEGABYTE = 1_000_000
const STARTS = 3
const LISTS = 8

/** How long the program takes to listen: from nothing, and again with existing data. */
export async function benchStart(report: Report): Promise<void> {
  const cold: number[] = []
  const warm: number[] = []
  await withFolder(async (folder) => {
    const dataDirs = Array.from({ length: STARTS }, (_, start) => join(folder, String(start)))
    for (const dataDir of dataDirs) {
      for (const times of [cold, warm]) {
        const run = runProgram(['serve'], { SVC_DATA_DIR: dataDir, PORT: '0' })
        await run.line('svc listens on')
        times.push((performance.now() - run.startedAt) / 1000)
        run.process.kill('SIGTERM')
        await run.ended()
      }
    }
    // Not earlier: file systems make new files slowly just after many were deleted.
    for (const dataDir of dataDirs) await removeEmbeddedPostgres(dataDir)
  })
  report.atMost('start from nothing: embedded database, migrations, demo, s', median(cold), 3)
  report.atMost('start on an existing database, s', median(warm), 1)
}

/** The memory of the serving process: idle, and during eight lists of 10,000. */
export async function benchMemory(server: EmbeddedServer, report: Report): Promise<void> {
  const connectionString = await server.createDatabase('memory')
  const { key } = await seed(connectionString, operationsSize)
  const run = runProgram(['serve'], { DATABASE_URL: connectionString, PORT: '0' })
  const origin = /http\S+/.exec(await run.line('svc listens on'))?.[0] ?? ''
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  report.atMost('memory idle, MB', run.memory().now / MEGABYTE, 180)
  const headers = { authorization: `Bearer ${key}` }
  for (let round = 0; round < 5; round++) {
    const lists = Array.from({ length: LISTS }, async () => {
      const answer = await fetch(`${origin}/v2/app-instances?teamId=${place.team}`, { headers })
      if (answer.status !== 200) throw new Error(`unexpected status ${answer.status}`)
      await answer.arrayBuffer()
    })
    await Promise.all(lists)
  }
  report.atMost('memory at most with eight lists of 10,000 at once, MB', run.memory().peak / MEGABYTE, 350)
  run.process.kill('SIGTERM')
  await run.ended()
}

/** How long `svc import` takes for 100,000 mixed records, and its memory. */
export async function benchImport(server: EmbeddedServer, report: Report): Promise<void> {
  const connectionString = await server.createDatabase('import')
  await withFolder(async (folder) => {
    const file = join(folder, 'records.ndjson')
    await pipeline(Readable.from(recordLines(importSize)), createWriteStream(file))
    const run = runProgram(['import', file], { DATABASE_URL: connectionString })
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, run.memory().peak)
    }, 50)
    await run.ended()
    clearInterval(watch)
    report.atMost('import of 100,000 mixed records, s', (performance.now() - run.startedAt) / 1000, 20)
    report.atMost('import: memory at most, MB', peak / MEGABYTE, 300)
  })
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
