import { untilRecovered } from './back.js'
import type { ServiceRun, Stage } from './stage.js'

/** Kills one of several services after the other and starts it again, and every third time the database, if it can be. */
export async function killNext(
  stage: Stage,
  runs: ServiceRun[],
  kills: number,
  serve: Stage['serve'] = stage.serve,
): Promise<void> {
  if (kills % 3 === 1 && stage.killDatabase !== undefined) {
    stage.killDatabase()
    await untilRecovered(stage)
    return
  }
  const victim = kills % runs.length
  await runs[victim]?.kill()
  runs[victim] = await serve()
}
