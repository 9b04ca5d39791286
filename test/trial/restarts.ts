import { startLocalCluster } from './cluster.js'
import { createLoad } from './cluster-load.js'
import { allOf, type Finding, type Trial } from './trial.js'

const RESTARTS = 50

/** The processes of the service are restarted in turns, behind a balancer that watches `/readyz`, under load. */
export const restarts: Trial = {
  name: 'restarts',
  onEachDatabase: false,
  onlyIfNamed: true,
  run: async (): Promise<readonly Finding[]> => {
    const cluster = await startLocalCluster()
    try {
      const load = createLoad(cluster)
      const calling = load.start()
      let ended = 0
      for (let restart = 0; restart < RESTARTS; restart++) {
        const part = `svc-${(restart % 3) + 1}`
        await cluster.stop(part)
        ended++
        await cluster.start(part)
        console.error(`restart ${restart + 1} of ${part}: ${load.answers()}`)
      }
      load.stop()
      await calling
      const { acknowledged, standing, stale, read, byStatus } = await load.verify()
      const all = [...byStatus.values()].reduce((sum, count) => sum + count, 0)
      return [
        allOf('processes stopped and started behind a balancer', ended, RESTARTS),
        allOf('calls answered 200 meanwhile', byStatus.get(200) ?? 0, all),
        allOf('acknowledged writes that stand', standing, acknowledged),
        allOf('lists with the own writes before them', read - stale, read),
      ]
    } finally {
      await cluster.remove()
    }
  },
}
