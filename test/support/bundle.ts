import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

/** One script of a program that uses the client, from the sources as they stand. */
export async function bundle(entry: string, platform: 'node' | 'browser'): Promise<string> {
  const build = await rolldown({
    input: join(root, entry),
    platform,
    resolve: { alias: { 'svc/client': join(root, 'src/client/index.ts') } },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  if (output.length !== 1) throw new Error(`${entry} gives ${output.length} files`)
  return output[0].code
}
