import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { GaugeQuestion, ProcessUsage } from './gauge.js'
import type { ServiceRun, Stage } from './stage.js'

/** A service that reports what it uses. */
export interface GaugedService {
  readonly run: ServiceRun
  ask(question: GaugeQuestion): Promise<ProcessUsage>
  /** Open file descriptors, and how many of them are sockets. */
  descriptors(): { readonly all: number; readonly sockets: number }
  /** Removes what was made for it. */
  forget(): Promise<void>
}

/** Starts a service with a gauge in its process. */
export async function serveGauged(stage: Stage): Promise<GaugedService> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-gauge-'))
  const path = join(folder, 'gauge')
  const gauge = new URL('./gauge.js', import.meta.url).href
  const environment = { LOG_LEVEL: 'error', GAUGE_SOCKET: path, NODE_OPTIONS: `--import=${gauge}` }
  const run = await stage.serve({ environment })
  return {
    run,
    ask: async (question) => {
      const socket = connect(path)
      socket.write(question)
      return (await json(socket)) as ProcessUsage
    },
    descriptors: () => descriptorsOf(run.pid),
    forget: () => rm(folder, { recursive: true, force: true }),
  }
}

function descriptorsOf(pid: number) {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch (error) {
      // It was closed in the meantime.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
  })
  return { all: targets.length, sockets: targets.filter((target) => target.startsWith('socket:')).length }
}
