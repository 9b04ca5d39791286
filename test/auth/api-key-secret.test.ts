import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { apiKeySecretPattern, createApiKeySecret, inspectApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { createTestRuntime } from '../support/runtime.js'

const runtime = createTestRuntime()
const kinds = ['pk', 'wk', 'mk'] as const
const good = 'svc_secret_pk_0000000000000000000000000000000000000000000'

describe('the secret of an API key', () => {
  it('has the form that secret scanners look for, and reveals its kind', () => {
    for (const kind of kinds) {
      const secret = createApiKeySecret(kind, runtime)
      expect(secret).toMatch(new RegExp(`^${apiKeySecretPattern}$`))
      expect(inspectApiKeySecret(secret)).toEqual({ ok: true, kind })
    }
  })

  it('ends in the CRC32 of everything before it, in base 62, padded with zeros on the left', () => {
    const onlyZeros = { randomBytes: (size: number) => new Uint8Array(size) }
    expect(createApiKeySecret('pk', onlyZeros)).toBe(`${good}4IFWp3`)
    expect(inspectApiKeySecret(`${good}4IFWp3`)).toEqual({ ok: true, kind: 'pk' })
  })

  it('is 256 random bits, in base 62, before the checksum', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const bits = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const most = Uint8Array.from({ length: 32 }, () => 255)
    const hold = (bytes: Uint8Array) => {
      const asked: number[] = []
      const randomBytes = (size: number) => {
        asked.push(size)
        return Uint8Array.from(bytes)
      }
      const [, random = ''] = /^svc_secret_wk_(.{43}).{6}$/.exec(createApiKeySecret('wk', { randomBytes })) ?? []
      const number = Array.from(random).reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)
      expect([number.toString(16).padStart(64, '0'), asked]).toEqual([Buffer.from(bytes).toString('hex'), [32]])
    }
    fc.assert(fc.property(bits, hold), { examples: [[most]] })
  })

  it.each([
    [`${good}4IFWp4`, 'checksum'], // One character off.
    [`${good.replace('_pk_', '_wk_')}4IFWp3`, 'checksum'], // The kind is under the checksum.
    [`${good}4IFWp`, 'form'],
    [`${good}4IFWp3b`, 'form'],
    [`${good}4IFWp3\n`, 'form'],
    [` ${good}4IFWp3`, 'form'],
    [`${good.replace('_pk_', '_xk_')}4IFWp3`, 'form'],
    [`${good}4IFWp-`, 'form'],
    ['hunter2', 'form'],
    ['', 'form'],
  ])('is not valid as %j: %s', (text, fault) => {
    expect(inspectApiKeySecret(text)).toEqual({ ok: false, fault })
  })

  it('detects every change of one character', () => {
    const secret = createApiKeySecret('mk', runtime)
    const change = fc.tuple(
      fc.integer({ min: 14, max: secret.length - 1 }),
      fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z'),
    )
    fc.assert(
      fc.property(change, ([at, character]) => {
        fc.pre(secret[at] !== character)
        const changed = secret.slice(0, at) + character + secret.slice(at + 1)
        expect(inspectApiKeySecret(changed)).toEqual({ ok: false, fault: 'checksum' })
      }),
    )
  })
})
