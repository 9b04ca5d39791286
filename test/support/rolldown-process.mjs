// Prints one script of the entry in its first argument, for the platform in its second: "node" or "browser".
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const [input, platform] = process.argv.slice(2)
const client = fileURLToPath(new URL('../../client/src/index.ts', import.meta.url))
const build = await rolldown({ input, platform, resolve: { alias: { '@svc-admin/client': client } } })
const { output } = await build.generate({ format: 'esm', codeSplitting: false })
await build.close()
if (output.length !== 1) throw new Error(`${input} gives ${output.length} files`)
process.stdout.write(output[0].code)
