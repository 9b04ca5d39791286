import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from '@jest/globals'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'console/src')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
const { devDependencies } = JSON.parse(readFileSync(join(root, 'console/package.json'), 'utf8'))

/** What the console takes from outside its folder. */
const shared = /^(?:gen\/(?:svc|google)\/.+_pb|client\/src\/(?:error-details|retry|timing|unreachable))\.js$/

const sourceOf = (file: string) => readFileSync(join(folder, file), 'utf8')

function importsOf(file: string): string[] {
  const found = sourceOf(file).matchAll(/\b(?:from\s+|import\s+|import\()'([^']+)'/g)
  return [...found].map(([, specifier = '']) => specifier)
}

function isAllowed(file: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) {
    return Object.keys(devDependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`))
  }
  const path = relative(root, normalize(join(folder, dirname(file), specifier)))
  return path.startsWith('console/src/') || shared.test(path)
}

/** The folders from the bottom to the top: each imports from those before it alone. */
const folders = [
  'style',
  'session',
  'api',
  'ui',
  'screens/sign-in',
  'screens/audit',
  'screens/journeys',
  'screens/resource',
  'screens/keys',
  'screens/person',
  'screens/people',
  'screens/bulk',
  'screens/overview',
  'screens',
  'app',
  '.',
]

function rank(file: string): number {
  const [top = '', sub = '', ...below] = file.split('/')
  if (sub === '') return folders.indexOf('.')
  return folders.indexOf(top === 'screens' && below.length > 0 ? `${top}/${sub}` : top)
}

describe('the sources of the console', () => {
  it('import the public contract and packages of the console, and nothing of the service', () => {
    const outside = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) => (isAllowed(file, specifier) ? [] : [`${file} imports ${specifier}`])),
    )
    expect(files.length).toBeGreaterThan(30)
    expect(outside).toEqual([])
  })

  it('import in one direction', () => {
    const upwards = files.flatMap((file) =>
      importsOf(file).flatMap((specifier) => {
        const path = relative('.', normalize(join(dirname(file), specifier)))
        const isAbove = specifier.startsWith('.') && !path.startsWith('..') && rank(file) < rank(path)
        return isAbove ? [`${file} > ${path}`] : []
      }),
    )
    expect(files.filter((file) => rank(file) === -1)).toEqual([])
    expect(upwards).toEqual([])
  })

  it('have no file above 300 lines', () => {
    expect(files.filter((file) => sourceOf(file).split('\n').length > 301)).toEqual([])
  })

  it('write no markup of their own, and keep no token where others can read it', () => {
    const risky = /dangerouslySetInnerHTML|innerHTML|\beval\(|new Function|document\.cookie|indexedDB/
    expect(files.filter((file) => risky.test(sourceOf(file)))).toEqual([])
    const keeping = files.filter((file) => /(?:local|session)Storage/.test(sourceOf(file)))
    expect(keeping.sort()).toEqual(['app/theme.ts', 'session/oidc.ts'])
  })
})
