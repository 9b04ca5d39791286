import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type DatasetSize, place, recordLines } from '../../harness/records.js'

const script = fileURLToPath(new URL('../../../deploy/local-cluster/local-cluster.sh', import.meta.url))

const thisBuild = fileURLToPath(new URL('../../..', import.meta.url))
const size: DatasetSize = { appInstances: 10, appResources: 10, priorities: 50, journeys: 5, users: 20 }

/** A node of Patroni. */
export type NodeName = 'a' | 'b'

/** A deployment on this machine, made by `deploy/local-cluster`, with an organization. */
export interface LocalCluster {
  /** Of the balancer. */
  readonly origin: string
  /** Of the balancer, which leads to the primary. */
  readonly connectionString: string
  /** Of the organization's admin. */
  readonly token: string
  /** The ports of the processes of the service. */
  readonly servicePorts: readonly number[]
  /** Where the PostgreSQL of a node is reached, whatever its role. */
  nodeUrl(node: NodeName): string
  /** The node that is the primary, and the other one if it is its synchronous standby. */
  roles(): Promise<{ readonly primary: NodeName | undefined; readonly standby: NodeName | undefined }>
  /** Kills the PostgreSQL of a node (SIGKILL); with `patroni`, as if its machine was lost. */
  killNode(node: NodeName, also?: 'patroni'): Promise<void>
  /** Starts a part; a process of the service from the folder of another build, if one is given. */
  start(part: string, root?: string): Promise<void>
  stop(part: string): Promise<void>
  /** The process ids of the service. */
  servicePids(): Promise<readonly number[]>
  remove(): Promise<void>
}

/** Starts a cluster in a folder for temporary files, of the build in `root` or this one. */
export async function startLocalCluster({ root }: { readonly root?: string } = {}): Promise<LocalCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-cluster-'))
  const base = 7_400
  const run = (parts: readonly string[], build = root) => {
    const env = { ...process.env, BASE_PORT: String(base), ...(build !== undefined && { SVC_ROOT: build }) }
    return promisify(execFile)(script, [...parts.slice(0, 1), directory, ...parts.slice(1)], { env })
  }
  const remove = async () => {
    await run(['stop'])
    await rm(directory, { recursive: true })
  }
  try {
    const { stdout } = await run(['start'])
    const connectionString = /^The primary: (\S+)$/m.exec(stdout)?.[1] ?? ''
    const pidOf = async (part: string) => Number((await readFile(join(directory, 'pid', part), 'utf8')).split(' ')[0])
    return {
      origin: /http:\S+\d/.exec(stdout)?.[0] ?? '',
      connectionString,
      token: await makeOrganization(connectionString, root ?? thisBuild),
      servicePorts: [1, 2, 3].map((number) => base + 50 + number),
      nodeUrl: (node) => {
        const url = new URL(connectionString)
        url.port = String(base + 10 + (node === 'a' ? 0 : 1))
        return url.href
      },
      roles: () => rolesFrom([base + 20, base + 21]),
      killNode: async (node, also) => {
        if (also === 'patroni') process.kill(await pidOf(`patroni-${node}`), 'SIGKILL')
        const [postmaster] = (await readFile(join(directory, `data-${node}`, 'postmaster.pid'), 'utf8')).split('\n')
        process.kill(Number(postmaster), 'SIGKILL')
      },
      start: async (part, build) => {
        await run(['start', part], build ?? thisBuild)
      },
      stop: async (part) => {
        await run(['stop', part])
      },
      servicePids: () => Promise.all([1, 2, 3].map((number) => pidOf(`svc-${number}`))),
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Any node of Patroni that answers knows the roles of all. */
async function rolesFrom(ports: readonly number[]): ReturnType<LocalCluster['roles']> {
  for (const port of ports) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/cluster`, { signal: AbortSignal.timeout(1_000) })
      const { members = [] }: { members?: { name: NodeName; role: string; state: string }[] } = JSON.parse(
        await answer.text(),
      )
      const named = (role: string) =>
        members.find((member) => member.role === role && /^(?:running|streaming)$/.test(member.state))?.name
      return { primary: named('leader'), standby: named('sync_standby') }
    } catch (error) {
      // This node is down; the other one answers.
      if (!(error instanceof Error)) throw error
    }
  }
  return { primary: undefined, standby: undefined }
}

/** Imports an organization by the commands of a build; answers a token of its admin. */
async function makeOrganization(connectionString: string, root: string): Promise<string> {
  const svc = async (args: readonly string[], input = '') => {
    const child = spawn(process.execPath, [join(root, 'bin/svc.mjs'), ...args], {
      env: { PATH: process.env['PATH'], DATABASE_URL: connectionString },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(input)
    let output = ''
    for await (const chunk of child.stdout) output += String(chunk)
    return output
  }
  await svc(['import', '-'], [...recordLines(size)].join(''))
  const { token }: { token: string } = JSON.parse(
    await svc(['tokens', 'create', '--user', 'user-0', '--org', place.organization, '--json']),
  )
  return token
}
