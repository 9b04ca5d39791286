import { setImmediate as nextTurn } from 'node:timers/promises'

/** The processor time, in milliseconds, of the longest turn of the event loop while work goes on. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let longest = 0
  let last = process.cpuUsage()
  const look = () => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.cpuUsage()
    if (!isOver) setImmediate(look)
  }
  look()
  try {
    await nextTurn()
    await work()
    await nextTurn()
  } finally {
    isOver = true
  }
  return longest
}

const plain = JSON.stringify(
  Array.from({ length: 28_000 }, (_, index) => ({ [`key${index}`]: 'a plain text of a value' })),
)

/** The same, where a plain text of a mebibyte is read. */
export const plainTurn = () => longestTurn(async () => void JSON.parse(plain))
