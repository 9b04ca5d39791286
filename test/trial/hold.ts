import { type DatabaseServer, setStage } from './stage.js'
import type { Finding, Trial } from './trial.js'

/** How long a trial may take by default. */
const LIMIT_MILLIS = 120_000

/** Runs a trial on a stage of its own. One that fails or takes too long has kept none of its promises. */
export async function hold(
  trial: Trial,
  server: DatabaseServer,
  amount = trial.amount?.full ?? 1,
): Promise<readonly Finding[]> {
  const { stage, clear } = await setStage(server)
  const { limitMillis = LIMIT_MILLIS } = trial
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`more than ${limitMillis / 1000} s`)), limitMillis)
  })
  try {
    return await Promise.race([trial.run(stage, amount), overdue])
  } catch (error) {
    console.error(error)
    return [{ promise: 'the trial comes to its end', measured: String(error), kept: false }]
  } finally {
    clearTimeout(timer)
    await clear()
  }
}
