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

  it('discards random bytes that would bias the characters', () => {
    const bytes = [...Array.from({ length: 8 }, (_, index) => 248 + index), ...Array.from({ length: 35 }, () => 61)]
    let calls = 0
    const counted = {
      randomBytes: () => {
        calls++
        return Uint8Array.from(bytes)
      },
    }
    expect(createApiKeySecret('wk', counted)).toMatch(/^svc_secret_wk_z{43}/)
    expect(calls).toBe(2)
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
