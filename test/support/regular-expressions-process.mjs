// Prints, as JSON, the regular expression literals in the files of a folder whose time can grow faster than the text that
// they search, each with a text for which it does: { file, source, verdict, attack }[].
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'

const TIMEOUT_MILLIS = 20_000
const [folder] = process.argv.slice(2)

/** The place of each literal by what it is. */
const literals = new Map()
for (const file of readdirSync(folder, { recursive: true }).filter((name) => /\.(ts|js|mjs)$/.test(name))) {
  collect(parseAst(readFileSync(join(folder, file), 'utf8'), { lang: file.endsWith('.ts') ? 'ts' : 'js' }), file)
}

const faults = []
for (const { regex, file } of literals.values()) {
  const { status, attack } = await check(regex.pattern, regex.flags, { timeout: TIMEOUT_MILLIS, randomSeed: 1 })
  if (status === 'safe') continue
  faults.push({ file, source: `/${regex.pattern}/${regex.flags}`, verdict: status, attack: attack?.pattern })
}
process.stdout.write(JSON.stringify(faults))

function collect(node, file) {
  if (Array.isArray(node)) for (const each of node) collect(each, file)
  else if (typeof node === 'object' && node !== null) {
    if (node.type === 'Literal' && node.regex !== undefined) {
      literals.set(`${node.regex.flags}/${node.regex.pattern}`, { regex: node.regex, file })
    }
    collect(Object.values(node), file)
  }
}
