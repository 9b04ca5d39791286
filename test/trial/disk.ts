import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbeddedServer } from '../../harness/database.js'
import { untilRecovered, untilWritten } from './back.js'
import { readTogether } from './call.js'
import { createHistory, type History } from './history.js'
import { databaseOf, type Stage, setStage } from './stage.js'
import { allOf, atLeast, atMost, type Finding, type Trial } from './trial.js'

const BACK_MILLIS = 2_000
const WRITING_MILLIS = 500
/** How long there is no room once a write was refused. */
const FULL_MILLIS = 1_000
const PATIENCE_MILLIS = 60_000
const BYTES = 256 * 1024 ** 2
const READS = 20

/**
 * The disk of the database is full for a while, again and again: a small file system in memory, which only root can
 * mount.
 */
export const disk: Trial = {
  name: 'disk',
  onEachDatabase: false,
  onlyIfNamed: true,
  amount: { of: 'times', full: 10, short: 1 },
  run: async (_, times) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${BYTES},mode=755`, 'tmpfs', folder])
    try {
      chmodSync(folder, 0o755)
      const server = await startEmbeddedServer(folder, { max_wal_size: '64MB', min_wal_size: '32MB' })
      const { stage, clear } = await setStage(databaseOf(server))
      try {
        return await fill(stage, join(folder, 'ballast'), times)
      } finally {
        await clear()
        await server.stop()
      }
    } finally {
      execFileSync('umount', [folder])
      rmdirSync(folder)
    }
  },
}

async function fill(stage: Stage, ballast: string, times: number): Promise<readonly Finding[]> {
  const name = `disk full ${times} times`
  const history = createHistory(stage, name)
  const run = await stage.serve()
  let slowest = 0
  history.writeTo(() => run.origin)
  for (let time = 0; time < times; time++) {
    await wait(WRITING_MILLIS)
    takeAll(ballast)
    await untilRefused(history)
    await wait(FULL_MILLIS)
    rmSync(ballast)
    const back = await untilRecovered(stage)
    slowest = Math.max(slowest, (await untilWritten(run, stage)) - back)
  }
  await history.stop()
  const reads = await readTogether(run, stage, READS)
  const { status } = await run.stop()
  const refused = history.answers().get(503) ?? 0
  const others = [...history.answers()].filter(([answer]) => answer !== 200 && answer !== 503)
  return [
    ...(await history.verify()),
    atLeast(`${name}: writes answered 503`, refused, times, ''),
    {
      promise: `${name}: writes answered otherwise, or not at all`,
      measured: others.map(([answer, count]) => `${count} × ${answer}`).join(', ') || '0',
      kept: others.length === 0,
    },
    atMost(`${name}: the first good write after the database is back`, slowest, BACK_MILLIS, 'ms'),
    allOf(`${name}: reads after it`, reads.filter((read) => read.status === 200).length, READS),
    { promise: `${name}: the service runs through`, measured: `exit ${status}`, kept: status === 0 },
  ]
}

/** The pages that the database has already can be filled before it needs room. */
async function untilRefused(history: History): Promise<void> {
  const refused = () => history.answers().get(503) ?? 0
  const [before, end] = [refused(), performance.now() + PATIENCE_MILLIS]
  while (refused() === before && performance.now() < end) await wait(10)
}

/** Writes a file until there is no room for another byte. */
function takeAll(path: string): void {
  const file = openSync(path, 'w')
  const [large, small] = [Buffer.alloc(1024 ** 2), Buffer.alloc(4_096)]
  try {
    for (const bytes of [large, small]) {
      try {
        for (;;) if (writeSync(file, bytes) < bytes.length) break
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      }
    }
  } finally {
    closeSync(file)
  }
}
