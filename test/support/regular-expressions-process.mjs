// Prints, as JSON, the regular expressions of a folder whose time can grow faster than the text that they search, each
// with a text for which it does: { file, source, verdict, attack }[]. They are the literals of its sources, the patterns of
// its schemas, and, where the folder is given as built too, what its modules put together when they are loaded.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'

const TIMEOUT_MILLIS = 120_000
/** Of 32,000 characters: below this the processor time says more of the machine than of the expression. */
const SHORT_MILLIS = 4
/** What texts are made of, beside what the checker finds. */
const parts = [
  'a',
  'A',
  '0',
  ' ',
  '"',
  '\\',
  '%',
  '-',
  '.',
  ',',
  ';',
  '/',
  '\n',
  'é',
  '\\"',
  '%25',
  ';a=',
  'eyJ-',
  'a.',
]
const [folder, built] = process.argv.slice(2)

/** Each expression by what it is, with its place. */
const expressions = new Map()
const add = (file, pattern, flags, isComposed = false) =>
  expressions.set(`${flags}/${pattern}`, { file, pattern, flags, isComposed })

const composing = []
for (const file of readdirSync(folder, { recursive: true })) {
  const text = () => readFileSync(join(folder, file), 'utf8')
  if (/\.(tsx?|js|mjs)$/.test(file) && !/^(dist|.*\/dist|.*node_modules)\//.test(file)) {
    const tree = parseAst(text(), { lang: file.match(/tsx?$/)?.[0] ?? 'js' })
    collect(tree, file)
    if (built !== undefined && composes(tree)) composing.push(file)
  }
  if (file.endsWith('.proto')) {
    for (const [, pattern] of text().matchAll(/\bpattern: ("(?:[^"\\]|\\.)*")/g)) add(file, JSON.parse(pattern), 'u')
  }
}
await recordComposed(composing)

const faults = []
for (const { file, pattern, flags, isComposed } of expressions.values()) {
  const { status, attack, complexity } = await check(pattern, flags, { timeout: TIMEOUT_MILLIS, randomSeed: 1 })
  // What is too long for the checker is judged by its processor time, as is the power that it guesses on a busy machine.
  const isFault =
    status === 'vulnerable'
      ? complexity.type !== 'polynomial' || isSlow((length) => attackOf(new RegExp(pattern, flags), attack, length))
      : status === 'unknown' && !isComposed
  if (isFault) faults.push({ file, source: `/${pattern}/${flags}`, verdict: status, attack: attack?.pattern })
  const slow = slowText(new RegExp(pattern, flags))
  if (slow !== undefined) faults.push({ file, source: `/${pattern}/${flags}`, verdict: 'slow', attack: slow })
}
process.stdout.write(JSON.stringify({ searched: expressions.size, faults }))

function collect(node, file) {
  if (Array.isArray(node)) for (const each of node) collect(each, file)
  else if (typeof node === 'object' && node !== null) {
    if (node.type === 'Literal' && node.regex !== undefined) add(file, node.regex.pattern, node.regex.flags)
    collect(Object.values(node), file)
  }
}

function composes(node) {
  if (Array.isArray(node)) return node.some(composes)
  if (typeof node !== 'object' || node === null) return false
  return (node.type === 'NewExpression' && node.callee.name === 'RegExp') || composes(Object.values(node))
}

/** Loads modules, and notes what they make of texts. */
async function recordComposed(files) {
  const plain = globalThis.RegExp
  const place = `${sep}${join(built ?? '', sep)}`.replace(/^\/\//, '/')
  globalThis.RegExp = class Recorded extends plain {
    constructor(pattern, flags) {
      super(pattern, flags)
      const [, , caller = ''] = (new Error().stack ?? '').split('\n')
      if (typeof pattern === 'string' && caller.includes(place)) add(caller.trim(), this.source, this.flags, true)
    }
  }
  for (const file of files) await import(pathToFileURL(join(built, file.replace(/\.ts$/, '.js'))))
  globalThis.RegExp = plain
}

/** What makes up a text whose time grows faster than a line. */
function slowText(expression) {
  return parts.find((part) => isSlow((length) => millisOf(expression, repeated(part, length))))
}

/** Whether the time from 8,000 to 32,000 characters grows to more than eight times: a line to four, a square to sixteen. */
function isSlow(millisFor) {
  // Again, since other threads of this process take the processor as well.
  return [1, 2, 3].every(() => {
    const long = millisFor(32_000)
    return long > SHORT_MILLIS && long > 8 * millisFor(8_000)
  })
}

/** The time for an attack of the checker with pumps of so many characters in all. */
function attackOf(expression, { pumps, suffix }, length) {
  const text = pumps.map(({ prefix, pump }) => prefix + repeated(pump, length / pumps.length)).join('')
  return millisOf(expression, text + suffix)
}

function repeated(part, length) {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}

function millisOf(expression, text) {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    text.replace(expression, '')
    return process.cpuUsage(before).user / 1_000
  })
  return Math.min(...times)
}
