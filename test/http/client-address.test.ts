import { describe, expect, it } from '@jest/globals'
import { createClientAddressOf, parseTrustProxy } from '../../src/http/client-address.js'

/** `trust | socket | X-Forwarded-For | client | why` */
const table: [string, string | undefined, string | undefined, string, string][] = [
  ['', '192.0.2.1', undefined, '192.0.2.1', 'the socket'],
  ['', '192.0.2.1', '198.51.100.7', '192.0.2.1', 'no proxy is trusted'],
  ['0', '192.0.2.1', '198.51.100.7', '192.0.2.1', 'no hop is trusted'],
  ['', '::ffff:192.0.2.1', undefined, '192.0.2.1', 'IPv4-mapped'],
  ['', '::ffff:c000:201', undefined, '192.0.2.1', 'IPv4-mapped in hexadecimal'],
  ['', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64', 'a /64 is one client'],
  ['', '2001:DB8:1:2::ffff', undefined, '2001:db8:1:2::/64', 'another address of that /64'],
  ['', '2001:db8:1:3::1', undefined, '2001:db8:1:3::/64', 'the next /64'],
  ['', 'fe80::1%eth0', undefined, 'fe80::/64', 'a zone is local to the machine'],
  ['', '::1', undefined, '::/64', 'the loopback'],
  ['', undefined, undefined, 'unknown', 'a socket that is gone'],
  ['1', '10.0.0.1', '198.51.100.7', '198.51.100.7', 'one hop'],
  ['1', '10.0.0.1', '1.1.1.1, 198.51.100.7', '198.51.100.7', 'forged by the client, left of what the hop wrote'],
  ['2', '10.0.0.2', '1.1.1.1, 198.51.100.7, 10.0.0.1', '198.51.100.7', 'two hops'],
  ['2', '10.0.0.2', '198.51.100.7', '198.51.100.7', 'fewer entries than hops'],
  ['1', '10.0.0.1', undefined, '10.0.0.1', 'a hop that writes nothing'],
  ['1', '10.0.0.1', '', '10.0.0.1', 'an empty header'],
  ['1', '10.0.0.1', '198.51.100.7, unknown', '10.0.0.1', 'an entry that is not an address'],
  ['1', '10.0.0.1', '198.51.100.7,', '10.0.0.1', 'an empty entry'],
  ['1', '10.0.0.1', '0x7f.1', '10.0.0.1', 'not the usual notation'],
  ['1', '10.0.0.1', '127.1', '10.0.0.1', 'not the usual notation'],
  ['1', '10.0.0.1', '010.1.1.1', '10.0.0.1', 'octal for some'],
  ['1', '10.0.0.1', '198.51.100.7:4711', '198.51.100.7', 'with its port'],
  ['1', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::/64', 'with its port'],
  ['1', '10.0.0.1', '[2001:db8::1]', '2001:db8::/64', 'in brackets'],
  ['1', '10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7', 'IPv4-mapped in the header'],
  ['10.0.0.0/8', '10.1.2.3', '198.51.100.7', '198.51.100.7', 'a trusted network'],
  ['10.0.0.0/8', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7', 'a trusted network, IPv4-mapped'],
  ['10.0.0.0/8', '192.0.2.1', '198.51.100.7', '192.0.2.1', 'a forged header past the proxy'],
  ['10.0.0.0/8', '10.1.2.3', '1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7', 'several trusted proxies'],
  ['10.0.0.0/8', '10.1.2.3', '10.1.1.1, 198.51.100.7', '198.51.100.7', 'a forged trusted address'],
  ['10.0.0.0/8', '10.1.2.3', '10.4.4.4, 10.5.5.5', '10.4.4.4', 'every hop is trusted: the farthest'],
  ['10.0.0.0/8, 2001:db8:f::/48', '2001:db8:f::9', '198.51.100.7, 10.0.0.1', '198.51.100.7', 'a list of both kinds'],
  ['192.0.2.1', '192.0.2.1', '198.51.100.7', '198.51.100.7', 'one address'],
  ['192.0.2.1', '192.0.2.2', '198.51.100.7', '192.0.2.2', 'its neighbour'],
  ['::1', '::1', '2001:db8:1:2::1', '2001:db8:1:2::/64', 'one address of IPv6'],
]

describe('the address of a client', () => {
  it.each(table)(
    'with TRUST_PROXY=%s, socket %s, X-Forwarded-For %s is %s (%s)',
    (trust, socket, forwarded, client) => {
      expect(createClientAddressOf(parseTrustProxy(trust))(socket, forwarded)).toBe(client)
    },
  )

  it('treats repeated headers as one list', () => {
    const clientAddressOf = createClientAddressOf(parseTrustProxy('1'))
    expect(clientAddressOf('10.0.0.1', ['1.1.1.1', '198.51.100.7'])).toBe('198.51.100.7')
  })

  it.each([
    ['33', 'TRUST_PROXY is 33, but at most 32 hops can be trusted'],
    ['-1', 'TRUST_PROXY has "-1", which is neither'],
    ['1.5', 'TRUST_PROXY has "1.5", which is neither'],
    ['true', 'TRUST_PROXY has "true", which is neither'],
    ['10.0.0.0/33', 'TRUST_PROXY has "10.0.0.0/33", which is neither'],
    ['10.0.0.0/', 'TRUST_PROXY has "10.0.0.0/", which is neither'],
    ['10.0.0.0/8/8', 'TRUST_PROXY has "10.0.0.0/8/8", which is neither'],
    ['10.0.0/8', 'TRUST_PROXY has "10.0.0/8", which is neither'],
    ['2001:db8::/129', 'TRUST_PROXY has "2001:db8::/129", which is neither'],
    ['10.0.0.0/8,', 'TRUST_PROXY has "", which is neither'],
    ['10.0.0.0/8 192.0.2.0/24', 'which is neither'],
  ])('is unknown with TRUST_PROXY=%s', (text, message) => {
    expect(() => parseTrustProxy(text)).toThrow(message)
  })
})
