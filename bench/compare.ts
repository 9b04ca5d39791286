import { type ChildProcess, fork } from 'node:child_process'
import type { DatabaseUsage, EmbeddedServer } from '../harness/database.js'
import { reply } from '../harness/reply.js'
import type { ServerProcess, Usage } from './child.js'
import type { Job, LoadResult } from './load.js'

/** A server that takes part in a comparison. */
export interface Contestant {
  readonly name: string
  readonly server: ServerProcess
  readonly requests: Job['requests']
}

/** The medians of a contestant's rounds. */
export interface Standing {
  readonly name: string
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Of the server's process, with all its threads. */
  readonly cpuMicrosPerRequest: number
  /** With that of PostgreSQL; NaN if the comparison does not watch it. */
  readonly allCpuMicrosPerRequest: number
  readonly walBytesPerRequest: number
  /** The longest of each round: a round in which the system stalled the process is not representative. */
  readonly stallMillis: number
  /** Throughput over that of the first contestant: the median of the rounds' own ratios. */
  readonly ratio: number
  /** What the ratios to others are made from, by round. */
  readonly rounds: readonly RoundFigures[]
}

/** One round of one contestant. */
export interface RoundFigures {
  readonly requestsPerSecond: number
  readonly cpuMicrosPerRequest: number
  /** With that of PostgreSQL; NaN if the comparison does not watch it. */
  readonly allCpuMicrosPerRequest: number
  /** What PostgreSQL writes ahead; NaN if the comparison does not watch it. */
  readonly walBytesPerRequest: number
}

/** A ratio of two contestants: the median of the rounds' own ratios, and the middle half of them. */
export interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The ratio of a figure of two contestants of one comparison. */
export function ratioOf(
  figure: keyof RoundFigures,
  { rounds }: Pick<Standing, 'rounds'>,
  { rounds: references }: Pick<Standing, 'rounds'>,
): Ratio {
  const ratios = rounds.map((round, index) => round[figure] / (references[index]?.[figure] ?? Number.NaN))
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) }
}

/** How long a comparison takes. */
export interface Rounds {
  readonly rounds: number
  readonly millis: number
  /** Default 32. */
  readonly connections?: number | undefined
  /** Watches what PostgreSQL uses. */
  readonly database?: Pick<EmbeddedServer, 'usage'> | undefined
}

/**
 * Sends the same load to every contestant in turns, the order reversed every other round, after one round to warm up.
 */
export async function compare(
  contestants: readonly Contestant[],
  { rounds, millis, connections = 32, database }: Rounds,
): Promise<Standing[]> {
  const load = fork(new URL('./load.js', import.meta.url))
  const results: Round[][] = contestants.map(() => [])
  for (let round = -1; round < rounds; round++) {
    const order = [...contestants.entries()]
    for (const [index, { server, requests }] of round % 2 === 0 ? order : order.toReversed()) {
      await server.usage()
      const before = await database?.usage()
      const result = await run(load, { port: server.port, requests, connections, millis })
      const usage = await server.usage()
      const after = await database?.usage()
      const rate = (result.requests / result.millis) * 1000
      const used = (figure: keyof DatabaseUsage) => (after?.[figure] ?? Number.NaN) - (before?.[figure] ?? 0)
      const ofDatabase = { databaseCpuMicros: used('cpuMicros'), walBytes: used('walBytes') }
      if (round >= 0) results[index]?.push({ ...result, ...usage, ...ofDatabase, rate })
    }
  }
  load.disconnect()
  const [reference = []] = results
  return contestants.map(({ name }, index) => standing(name, results[index] ?? [], reference))
}

interface Round extends LoadResult, Usage {
  readonly rate: number
  readonly databaseCpuMicros: number
  readonly walBytes: number
}

async function run(load: ChildProcess, job: Job): Promise<LoadResult> {
  load.send(job)
  const result = (await reply(load)) as LoadResult | { readonly error: string }
  if ('error' in result) throw new Error(result.error)
  return result
}

function standing(name: string, own: readonly Round[], reference: readonly Round[]): Standing {
  const of = (value: (round: Round) => number) => median(own.map(value))
  const rounds = own.map(figuresOf)
  return {
    name,
    rounds,
    requestsPerSecond: of(({ rate }) => rate),
    p50Millis: of(({ p50Millis }) => p50Millis),
    p99Millis: of(({ p99Millis }) => p99Millis),
    cpuMicrosPerRequest: median(rounds.map((each) => each.cpuMicrosPerRequest)),
    allCpuMicrosPerRequest: median(rounds.map((each) => each.allCpuMicrosPerRequest)),
    walBytesPerRequest: median(rounds.map((each) => each.walBytesPerRequest)),
    stallMillis: of(({ stallMillis }) => stallMillis),
    ratio: ratioOf('requestsPerSecond', { rounds }, { rounds: reference.map(figuresOf) }).median,
  }
}

function figuresOf({ rate, cpuMicros, databaseCpuMicros, walBytes, requests }: Round): RoundFigures {
  return {
    requestsPerSecond: rate,
    cpuMicrosPerRequest: cpuMicros / requests,
    allCpuMicrosPerRequest: (cpuMicros + databaseCpuMicros) / requests,
    walBytesPerRequest: walBytes / requests,
  }
}

/** The middle value; the upper one of two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function quantile(values: readonly number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN
}
