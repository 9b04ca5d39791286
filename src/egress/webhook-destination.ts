import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { invalidField } from '../errors.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Where webhooks may go besides port 443 of public addresses, over https or http. */
export interface WebhookAllowance {
  /** Hosts with their ports, such as `hooks.internal:8080`, whatever their addresses. */
  readonly hosts: ReadonlySet<string>
  /** Networks, on any port. */
  readonly networks: readonly Network[]
}

/**
 * Reads `WEBHOOK_ALLOW`: hosts with their ports, and networks (CIDR), with commas between them. Throws an error that
 * says which part cannot be used.
 */
export function parseWebhookAllowance(text: string): WebhookAllowance {
  const parts = text.split(',').flatMap((part) => part.trim() || [])
  const networks = parts.filter((part) => ipaddr.isValidCIDR(part)).map((part) => ipaddr.parseCIDR(part))
  const hosts = parts.filter((part) => !ipaddr.isValidCIDR(part))
  for (const host of hosts) {
    if (/^[^/@?#\s]+:[0-9]{1,5}$/.test(host) && URL.canParse(`http://${host}`)) continue
    throw new Error(
      `has ${JSON.stringify(host)}, which is neither a host and port (hooks.internal:8080) nor a network (10.0.0.0/8)`,
    )
  }
  return { hosts: new Set(hosts.map((host) => host.toLowerCase())), networks }
}

/** A URL that may be a destination, as far as it says. Throws `FIELD_INVALID` for the field `url`. */
export function destinationFrom(text: string, allowance: WebhookAllowance): URL {
  if (!URL.canParse(text)) throw invalidField('url', 'must be a URL such as https://example.com/hooks')
  const url = new URL(text)
  const fault = destinationFault(url, allowance)
  if (fault !== undefined) throw invalidField('url', fault)
  return url
}

/** Why a URL can be no destination, whatever its name resolves to; undefined if it can. */
export function destinationFault(url: URL, allowance: WebhookAllowance): string | undefined {
  if (!/^https?:$/.test(url.protocol)) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must not have a user or a password'
  if (url.hash !== '') return 'must not have a fragment'
  const host = hostOf(url)
  const isNamed = allowance.hosts.has(`${url.hostname}:${portOf(url)}`)
  const isInNetwork = isIP(host) !== 0 && isIn(allowance.networks, host)
  // Whether the address of a name is in an allowed network is judged when it is known.
  if (isNamed || isInNetwork || (isIP(host) === 0 && allowance.networks.length > 0)) return undefined
  if (url.protocol !== 'https:' || portOf(url) !== 443) return `must be https on port 443${unlessAllowed(url)}`
  return isIP(host) === 0 || isPublic(host) ? undefined : `must not be a private address${unlessAllowed(url)}`
}

const unlessAllowed = (url: URL) =>
  `: whoever operates the service can allow others, such as WEBHOOK_ALLOW=${url.hostname}:${portOf(url)}`

export function isPermitted(url: URL, address: string, allowance: WebhookAllowance): boolean {
  if (allowance.hosts.has(`${url.hostname}:${portOf(url)}`) || isIn(allowance.networks, address)) return true
  return url.protocol === 'https:' && portOf(url) === 443 && isPublic(address)
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an address is one of the internet (IANA's registries of special-purpose addresses, RFC 6890). IPv4-mapped
 * addresses and those of NAT64 (RFC 6052) are as public as the IPv4 address in them.
 */
export function isPublic(text: string): boolean {
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  if (address.match(ipaddr.parseCIDR('64:ff9b::/96'))) {
    return new ipaddr.IPv4(address.toByteArray().slice(12)).range() === 'unicast'
  }
  return address.range() === 'unicast' && address.match(globalUnicast)
}

function isIn(networks: readonly Network[], text: string): boolean {
  const address = ipaddr.process(text)
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
  )
}
