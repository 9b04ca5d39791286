import type { Stage } from './stage.js'

/** One promise of the service, and what was measured for it. */
export interface Finding {
  readonly promise: string
  readonly measured: string
  readonly kept: boolean
  /** Whether it is a time, which depends on what else the machine does. */
  readonly isTime?: boolean
}

/** A bad day, simulated on a service that runs as operators run it. */
export interface Trial {
  readonly name: string
  /** Whether the database is involved, so that the trial is run on each kind of it. */
  readonly onEachDatabase: boolean
  /** Whether it runs only when it is asked for by its name, because it needs what not every machine has. */
  readonly onlyIfNamed?: boolean
  /** How much it does, where that can be chosen. */
  readonly amount?: Amount
  /** Returns the outcome of each promise. Throws if the trial itself cannot continue. */
  run(stage: Stage, amount: number): Promise<readonly Finding[]>
}

/** How much a trial does. */
export interface Amount {
  /** What is counted, such as `kills of each kind` or `minutes`. */
  readonly of: string
  /** By default. */
  readonly full: number
  /** For a run of seconds, as in `npm test`. */
  readonly short: number
}

/** A promise that is kept if the figure is at most the bound. */
export function atMost(promise: string, measured: number, bound: number, unit: string): Finding {
  return { promise, measured: `${rounded(measured)} ${unit}`.trim(), kept: measured <= bound, isTime: unit === 'ms' }
}

/** A promise that is kept if the figure is at least the bound. */
export function atLeast(promise: string, measured: number, bound: number, unit: string): Finding {
  return { promise, measured: `${rounded(measured)} ${unit}`.trim(), kept: measured >= bound }
}

/** A promise about each of `all`. */
export function allOf(promise: string, kept: number, all: number): Finding {
  return { promise, measured: `${kept} of ${all}`, kept: kept === all }
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
