import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'

const globals = new URL('./globals.js', import.meta.url).href

/** In the sources, an import of a .js file means the .ts file that it is made from. */
export const resolve: ResolveHook = (specifier, context, next) => {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true }
  if (specifier.startsWith('.') && specifier.endsWith('.js') && isTypeScript(context.parentURL ?? '')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL)
    if (existsSync(source)) return { url: source.href, shortCircuit: true }
  }
  return next(specifier, context)
}

/** Compiles what Node 20 does not read. */
export const load: LoadHook = async (url, context, next) => {
  if (!isTypeScript(url)) return next(url, context)
  const filename = fileURLToPath(url)
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    inlineSourcesContent: false,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  })
  return { format: 'module', source: code, shortCircuit: true }
}

function isTypeScript(url: string): boolean {
  return new URL(url || 'node:none').pathname.endsWith('.ts')
}
