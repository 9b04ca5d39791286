import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** The addresses of a name: none if there are none, or nobody says so in time, or before the signal aborts. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

export interface ResolverOptions {
  /** Addresses of servers, with their ports. Default: those of the system. */
  readonly servers?: readonly string[]
  /** Names that this machine knows without asking. */
  readonly hostsFile?: string
}

/** How long a server may take, and how often one is asked. */
const DNS = { timeout: 2_000, tries: 2 }
/** How long it may take in all, however many servers there are. */
const RESOLVE_MILLIS = 5_000

/**
 * Makes a resolver without `getaddrinfo`, which occupies one of the four threads of the process for as long as a server
 * is silent: a few names would stop all others, and the reading of files.
 */
export function createNameResolver({ servers, hostsFile = '/etc/hosts' }: ResolverOptions = {}): ResolveName {
  return async (name, signal) => {
    const known = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (known.length > 0 || signal.aborted) return known
    const resolver = new Resolver(DNS)
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    const timer = setTimeout(cancel, RESOLVE_MILLIS)
    signal.addEventListener('abort', cancel)
    const answers = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)])
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** The addresses of a name in a file such as /etc/hosts (hosts(5)). */
function addressesIn(hosts: string, name: string): string[] {
  const wanted = name.toLowerCase()
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((each) => each.toLowerCase() === wanted) ? address : []
  })
}
