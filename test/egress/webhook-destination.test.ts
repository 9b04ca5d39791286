import { describe, expect, it } from '@jest/globals'
import { destinationFault, isPermitted, isPublic, parseWebhookAllowance } from '../../src/egress/webhook-destination.js'

const none = parseWebhookAllowance('')

describe('an address that webhooks may be sent to', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:a00:1::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('is not %s', (address) => {
    expect(isPublic(address)).toBe(false)
  })

  it.each(['8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'is %s',
    (address) => {
      expect(isPublic(address)).toBe(true)
    },
  )
})

describe('a URL that webhooks may be sent to', () => {
  // Node reads each of them as an address.
  it.each([
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://①②⑦.⓪.⓪.①/',
    'http://93.184.216.34/',
    'https://93.184.216.34:8443/',
    'https://user@93.184.216.34/',
    'https://93.184.216.34/#fragment',
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
  ])('is not %s', (url) => {
    expect(destinationFault(new URL(url), none)).toEqual(expect.any(String))
  })

  it.each([
    ['http://127.0.0.1:3000/hook', 'WEBHOOK_ALLOW=127.0.0.1:3000'],
    ['https://[::1]/', 'WEBHOOK_ALLOW=[::1]:443'],
    ['http://hooks.internal/', 'WEBHOOK_ALLOW=hooks.internal:80'],
  ])('is %s once the operator allows it, as its refusal says', (url, setting) => {
    const fault = destinationFault(new URL(url), none) ?? ''
    expect(fault).toContain(setting)
    expect(destinationFault(new URL(url), parseWebhookAllowance(setting.replace('WEBHOOK_ALLOW=', '')))).toBeUndefined()
  })

  it('is https on port 443 of a name, or of a public address', () => {
    for (const url of ['https://example.com/a?b=c', 'https://example.com:443/', 'https://[2606:4700::1111]/']) {
      expect(destinationFault(new URL(url), none)).toBeUndefined()
    }
  })

  it('is what the operator allows: a host with its port, or a network on any port', () => {
    const allowance = parseWebhookAllowance('hooks.internal:8080, 10.1.0.0/16,fd00::/8')
    const isAllowed = (url: string, address: string) =>
      destinationFault(new URL(url), allowance) === undefined && isPermitted(new URL(url), address, allowance)
    expect(isAllowed('http://hooks.internal:8080/', '192.168.0.7')).toBe(true)
    expect(isAllowed('http://hooks.internal:8081/', '192.168.0.7')).toBe(false)
    expect(isAllowed('http://10.1.2.3:9000/', '10.1.2.3')).toBe(true)
    expect(isAllowed('http://other.internal/', '10.1.2.3')).toBe(true)
    expect(isAllowed('http://other.internal/', '10.2.2.3')).toBe(false)
    expect(isAllowed('https://other.internal/', 'fd00::1')).toBe(true)
    expect(isAllowed('http://10.2.0.1/', '10.2.0.1')).toBe(false)
  })

  it.each(['hooks.internal', '10.0.0.0/33', 'http://hooks.internal:80', 'a b:80'])('refuses to read %s', (text) => {
    expect(() => parseWebhookAllowance(text)).toThrow('neither a host and port')
  })
})
