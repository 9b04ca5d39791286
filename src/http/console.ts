import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createPage, HTML, type Page } from './page.js'

/** The configuration of a deployment's console. */
export interface ConsoleOptions {
  /** The address of the service as browsers reach it, whose path comes before every path of the console. */
  readonly publicUrl: string | undefined
  /** How people sign in; absent, they paste a token. */
  readonly signIn: ConsoleSignIn | undefined
}

/** The client of an OpenID Connect issuer as which people sign in. */
export interface ConsoleSignIn {
  readonly issuer: string
  /** The audience that a token must have. */
  readonly audience: string
  readonly clientId: string
  readonly scopes: string
}

export const CONSOLE_PATH = '/console'

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

/**
 * The console by path: its files under hashed names, `config.json`, and for every other path below it the same page,
 * whose script reads the address. Undefined for a path that is not the console's, and for a file that it does not have.
 * Throws if it has not been built.
 */
export function createConsole(root: string, options: ConsoleOptions): (path: string) => Page | undefined {
  const folder = join(root, 'dist/console')
  const base = options.publicUrl === undefined ? '' : (/^.*[^/]/.exec(new URL(options.publicUrl).pathname)?.[0] ?? '')
  const file = (name: string) => {
    const contentType = contentTypes[extname(name)] ?? 'application/octet-stream'
    const headers = { 'cache-control': 'public, max-age=31536000, immutable' }
    return createPage(contentType, readFileSync(join(folder, 'assets', name)), headers)
  }
  const config = { basePath: `${base}${CONSOLE_PATH}`, signIn: options.signIn }
  const pages = new Map([
    ...readdirSync(join(folder, 'assets')).map((name) => [`${CONSOLE_PATH}/assets/${name}`, file(name)] as const),
    [`${CONSOLE_PATH}/config.json`, createPage('application/json', JSON.stringify(config))],
  ])
  const html = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('{{base}}', () => base)
  const index = createPage(HTML, html, { 'content-security-policy': policy(options.signIn) })
  return (path) => {
    if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return undefined
    return path.startsWith(`${CONSOLE_PATH}/assets/`) ? pages.get(path) : (pages.get(path) ?? index)
  }
}

function policy(signIn: ConsoleSignIn | undefined): string {
  const connect = ["connect-src 'self'", ...(signIn === undefined ? [] : [new URL(signIn.issuer).origin])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    connect,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
