import { type DatabaseServer, setStage } from './stage.js'
import type { Finding, Trial } from './trial.js'

/** The end of a trial that hangs, far beyond what any of them takes. */
const LIMIT_MILLIS = 3_600_000

/** Runs a trial on a stage of its own. One that fails or takes too long has kept none of its promises. */
export async function runTrial(
  trial: Trial,
  server: DatabaseServer,
  amount = trial.amount?.full ?? 1,
): Promise<readonly Finding[]> {
  const { stage, clear } = await setStage(server)
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`more than ${LIMIT_MILLIS / 1000} s`)), LIMIT_MILLIS)
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
