import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

/** One command block of a page and its documented output. */
export interface Recipe {
  /** The heading above it and its number below that. */
  readonly name: string
  readonly script: string
  readonly expected: { readonly kind: 'json' | 'text'; readonly text: string } | undefined
}

/** The recipes of a Markdown page in order: its `sh` blocks, each with the `json` or `text` block that follows. */
export function recipesOf(markdown: string): Recipe[] {
  const recipes: Recipe[] = []
  let heading = ''
  let number = 0
  for (const [, title, language, text = ''] of markdown.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const last = recipes.at(-1)
    if (title !== undefined) {
      heading = title
      number = 0
    } else if (language === 'sh') {
      number++
      recipes.push({ name: `${heading} ${number}`, script: text, expected: undefined })
    } else if (language === 'json' || language === 'text') {
      if (last === undefined || last.expected !== undefined) throw new Error(`a result without a command: ${text}`)
      recipes[recipes.length - 1] = { ...last, expected: { kind: language, text } }
    }
  }
  return recipes
}

/** Runs all scripts in one shell, so that later ones see variables of earlier ones, and returns the output of each. */
export async function runRecipes(
  shellName: string,
  recipes: readonly Recipe[],
  env: Record<string, string>,
): Promise<string[]> {
  const mark = '\u0001'
  const program = recipes.map(({ script }) => `${script}\nprintf '${mark}'\n`).join('')
  const cwd = join(import.meta.dirname, '../..')
  const shell = spawn(shellName, ['-u'], { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  shell.stdin.end(program)
  const [stdout, stderr] = await Promise.all([buffer(shell.stdout), buffer(shell.stderr)])
  const complaints = stderr.toString('utf8').replace(/^npm warn .*\n/gm, '')
  if (complaints !== '') throw new Error(complaints)
  return stdout.toString('utf8').split(mark).slice(0, -1)
}

/** Whether an output is what a page says. `…` is any text; objects may have more members. */
export function isExpected({ kind, text }: NonNullable<Recipe['expected']>, output: string): boolean {
  if (kind === 'json') return matchesJson(JSON.parse(text), JSON.parse(output))
  return matchesText(text.trimEnd(), output.trimEnd())
}

function matchesText(expected: string, actual: string): boolean {
  const parts = expected.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(actual)
}

function matchesJson(expected: unknown, actual: unknown): boolean {
  if (expected === '…') return typeof actual === 'string' && actual !== ''
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false
    return expected.every((item, index) => matchesJson(item, actual[index]))
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual
  if (typeof actual !== 'object' || actual === null) return false
  const members = new Map<string, unknown>(Object.entries(actual))
  return Object.entries(expected).every(([key, value]) => members.has(key) && matchesJson(value, members.get(key)))
}
