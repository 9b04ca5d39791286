/** The base address of a listening socket, as a client on this machine writes it. Default: without TLS. */
export function originOf(address: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
