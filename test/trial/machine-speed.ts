const PAUSE_MILLIS = 50
/** How long it takes until what was measured counts for 1/e. */
const MEMORY_MILLIS = 1_000
const text = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => ({ id, name: `name ${id}`, tags: [`tag ${id % 7}`] })),
)

/** How fast this machine's processors are: on a virtual one, others change that from one second to the next. */
export interface MachineSpeed {
  /** How often a fixed work could be done in a millisecond of processor time, in the last second. */
  readonly now: number
  /** The mean since it was last asked. */
  readonly mean: () => number
  readonly stop: () => void
}

/** Measures with two per cent of a processor. Only processor time is counted: other processes here do not matter. */
export function measureMachineSpeed(): MachineSpeed {
  let now = 0
  let works = 0
  let millis = 0
  const measure = () => {
    const taken = millisOfWork()
    works++
    millis += taken
    const weight = now === 0 ? 1 : 1 - Math.exp(-PAUSE_MILLIS / MEMORY_MILLIS)
    now += weight * (1 / taken - now)
  }
  measure()
  const timer = setInterval(measure, PAUSE_MILLIS)
  return {
    get now() {
      return now
    },
    mean: () => {
      const mean = works / millis
      works = 0
      millis = 0
      return mean
    },
    stop: () => clearInterval(timer),
  }
}

function millisOfWork(): number {
  const start = process.cpuUsage()
  for (let times = 0; times < 4; times++) JSON.stringify(JSON.parse(text))
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
