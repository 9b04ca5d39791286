import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalCluster, startLocalCluster } from './cluster.js'
import { createLoad } from './cluster-load.js'
import { allOf, atLeast, type Finding, type Trial } from './trial.js'

const CALLS = 100_000

/**
 * A rollout from the build in the folder `TRIAL_PREVIOUS` to this one and back, process by process behind a balancer,
 * under load. The first process of this build migrates the database that the others work on.
 */
export const upgrade: Trial = {
  name: 'upgrade',
  onEachDatabase: false,
  onlyIfNamed: true,
  run: async (): Promise<readonly Finding[]> => {
    const previous = process.env['TRIAL_PREVIOUS']
    if (previous === undefined || !existsSync(join(previous, 'dist/build.json'))) {
      throw new Error('TRIAL_PREVIOUS must be the folder of a build of the previous version')
    }
    const cluster = await startLocalCluster({ root: previous })
    try {
      return await rollOut(cluster, previous)
    } finally {
      await cluster.remove()
    }
  },
}

async function rollOut(cluster: LocalCluster, previous: string): Promise<readonly Finding[]> {
  const load = createLoad(cluster)
  const calling = load.start()
  const replace = async (part: string, root?: string) => {
    await cluster.stop(part)
    await cluster.start(part, root)
    console.error(`${part} is ${root === undefined ? 'this' : 'the previous'} build: ${load.answers()}`)
  }
  await load.reach(CALLS * 0.1)
  // The migrations run here; from then on, both builds serve side by side.
  await replace('svc-1')
  await load.reach(CALLS * 0.3)
  // The previous build starts on a database with migrations that it does not know.
  await replace('svc-2', previous)
  await load.reach(CALLS * 0.6)
  await replace('svc-2')
  await replace('svc-3')
  await load.reach(CALLS * 0.8)
  // Back again.
  await replace('svc-1', previous)
  await load.reach(CALLS)
  load.stop()
  await calling
  const { acknowledged, standing, stale, read, byStatus } = await load.verify()
  const all = [...byStatus.values()].reduce((sum, count) => sum + count, 0)
  return [
    atLeast('two builds side by side, rolled out and back: calls', all, CALLS, ''),
    allOf('calls answered 200', byStatus.get(200) ?? 0, all),
    allOf('acknowledged writes that stand', standing, acknowledged),
    allOf('lists with the own writes before them', read - stale, read),
  ]
}
