import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** The proxies whose `X-Forwarded-For` is trusted: a number of hops before the service, and networks. */
export interface TrustProxy {
  readonly hops: number
  readonly networks: readonly Network[]
}

/** The most proxies in a row. */
const MAX_HOPS = 32

/**
 * Reads `TRUST_PROXY`: addresses and CIDRs separated by commas, or a number of hops; empty trusts no one. Throws an
 * error that says which part cannot be used.
 */
export function parseTrustProxy(text: string): TrustProxy {
  const trimmed = text.trim()
  if (/^[0-9]*$/.test(trimmed)) {
    const hops = Number(trimmed)
    if (hops > MAX_HOPS) throw new Error(`TRUST_PROXY is ${trimmed}, but at most ${MAX_HOPS} hops can be trusted`)
    return { hops, networks: [] }
  }
  return { hops: 0, networks: trimmed.split(',').map((part) => parseNetwork(part.trim())) }
}

function parseNetwork(text: string): Network {
  const [addressText = '', prefixText] = text.split(/\/(.*)/, 2)
  const address = parseAddress(addressText)
  const bits = address?.kind() === 'ipv4' ? 32 : 128
  const isPrefix = prefixText === undefined || (/^[0-9]{1,3}$/.test(prefixText) && Number(prefixText) <= bits)
  if (address !== undefined && isPrefix) return [address, Number(prefixText ?? bits)]
  throw new Error(`TRUST_PROXY has ${JSON.stringify(text)}, which is neither an address nor a CIDR such as 10.0.0.0/8`)
}

/**
 * Makes the function that determines the address under which limits count a client, from that of the socket and the
 * `X-Forwarded-For` header. The header is walked from the right as long as the hop that wrote it is trusted, and no
 * further than it can be read; whatever a client writes into it is to the left of that. IPv4-mapped addresses count as
 * IPv4; IPv6 addresses are counted by /64, the least that one client has.
 */
export function createClientAddressOf({ hops: most, networks }: TrustProxy) {
  return (socketAddress: string | undefined, forwardedFor: string | readonly string[] | undefined): string => {
    let client = parseAddress(socketAddress ?? '')
    if (client === undefined) return 'unknown'
    const hops = String(forwardedFor ?? '').split(',')
    for (let passed = 0; passed < most || isIn(networks, client); passed++) {
      const next = parseAddress(withoutPort(hops.pop()?.trim() ?? ''))
      if (next === undefined) break
      client = next
    }
    return addressKey(client)
  }
}

/** Whether a request has come through a trusted proxy, so that what it forwards can be believed. */
export function isFromProxy({ hops, networks }: TrustProxy, socketAddress: string | undefined): boolean {
  const address = parseAddress(socketAddress ?? '')
  return address !== undefined && (hops > 0 || isIn(networks, address))
}

function isIn(networks: readonly Network[], address: Address): boolean {
  return networks.some(([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix))
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text
}

/** The address of a text in the usual notation, IPv4-mapped ones unmapped; undefined for anything else. */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const withoutZone = text.split('%', 1)[0] ?? ''
  return ipaddr.IPv6.isValid(withoutZone) ? ipaddr.process(withoutZone) : undefined
}

function addressKey(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString()
  const parts = address.toByteArray().map((byte, index) => (index < 8 ? byte : 0))
  return `${ipaddr.fromByteArray(parts).toString()}/64`
}
