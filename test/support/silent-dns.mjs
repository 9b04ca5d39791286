// Loaded into a process before its program: names are asked for at the server of the query, and nowhere else.

import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const server = new URL(import.meta.url).searchParams.get('server')
dns.Resolver = class extends dns.Resolver {
  constructor(options) {
    super(options)
    this.setServers([server])
  }
}
syncBuiltinESMExports()
