import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, seed } from '../harness/database.js'
import { operationsSize } from '../harness/records.js'
import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import { operations, otherOperations, standardOperations } from './operation-requests.js'

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

/** Profiles the service in each operation and prints where its time goes: by part, then by function. */
export async function profileOperations(
  server: EmbeddedServer,
  rounds: Rounds,
  only?: string,
  program = 'service',
): Promise<void> {
  const connectionString = await server.createDatabase('profiles')
  const tokens = await seed(connectionString, operationsSize)
  for (const { name, requests } of [operations, otherOperations, standardOperations].flatMap((of) => of(tokens))) {
    if (only !== undefined && !name.includes(only)) continue
    const folder = await mkdtemp(join(tmpdir(), 'svc-profile-'))
    const prof = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200']
    const service = await startServer(program, { connectionString }, prof)
    const [standing] = await compare([{ name, server: service, requests }], rounds)
    await service.stop()
    const [file = ''] = await readdir(folder)
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile
    await rm(folder, { recursive: true })
    console.log(`\n${name}: ${standing?.cpuMicrosPerRequest.toFixed(0)} µs of CPU a request\n${summary(profile)}`)
  }
}

/** Shares of the busy time by part and by function. */
function summary({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parts = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0
  for (const [index, sample] of samples.entries()) {
    const frame = frames.get(sample)
    const delta = timeDeltas[index] ?? 0
    if (frame === undefined || ['(idle)', '(program)', '(root)'].includes(frame.functionName)) continue
    busy += delta
    const part = partOf(frame)
    parts.set(part, (parts.get(part) ?? 0) + delta)
    const name = `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-2).join('/')}:${frame.lineNumber + 1}`
    functions.set(name, (functions.get(name) ?? 0) + delta)
  }
  const top = (totals: Map<string, number>, count: number) =>
    [...totals]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, total]) => `  ${((100 * total) / busy).toFixed(1).padStart(5)} %  ${name}`)
      .join('\n')
  return `${top(parts, 16)}\n  --\n${top(functions, 30)}`
}

function partOf({ url, functionName }: ProfileNode['callFrame']): string {
  if (functionName.startsWith('(')) return functionName
  if (url.startsWith('node:')) return `node:${url.slice('node:'.length).split('/').slice(0, 2).join('/')}`
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\/(?!.*node_modules)/.exec(url)
  if (inPackage?.[1] !== undefined) return inPackage[1]
  const own = /.*\/(src\/[^/]+|gen|bench)\//.exec(url)
  return own?.[1] ?? (url === '' ? `native ${functionName}` : url.split('/').slice(-2).join('/'))
}
