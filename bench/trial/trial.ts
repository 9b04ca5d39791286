import type { Stage } from './stage.js'

/** One promise of the service, and what was measured of it. */
export interface Finding {
  readonly promise: string
  readonly measured: string
  readonly kept: boolean
}

/** A bad day, played on a service that runs as operators run it. */
export interface Trial {
  readonly name: string
  /** Whether the database takes part, so that the trial says something on each kind of it. */
  readonly onEachDatabase: boolean
  /** How long it may take. Default two minutes. */
  readonly limitMillis?: number
  /** Answers what became of each promise. Throws where the trial itself cannot go on. */
  run(stage: Stage): Promise<readonly Finding[]>
}

/** A promise that holds where the figure is at most the bound. */
export function atMost(promise: string, measured: number, bound: number, unit: string): Finding {
  return { promise, measured: `${rounded(measured)} ${unit}`.trim(), kept: measured <= bound }
}

/** A promise that holds where the figure is at least the bound. */
export function atLeast(promise: string, measured: number, bound: number, unit: string): Finding {
  return { promise, measured: `${rounded(measured)} ${unit}`.trim(), kept: measured >= bound }
}

/** A promise about all of so many. */
export function allOf(promise: string, kept: number, all: number): Finding {
  return { promise, measured: `${kept} of ${all}`, kept: kept === all }
}

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
