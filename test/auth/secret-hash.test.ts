import { describe, expect, it } from '@jest/globals'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'

const secret = 'svc_secret_of_a_test'
const recognizes = (
  later: Parameters<typeof createSecretHasher>[0],
  earlier: Parameters<typeof createSecretHasher>[0],
) =>
  createSecretHasher(later)
    .candidates(secret)
    .some((candidate) => candidate.equals(createSecretHasher(earlier).hash(secret)))

describe('hashes of secrets', () => {
  it('are SHA-256 without a pepper and HMAC-SHA-256 with one', () => {
    expect(createSecretHasher().hash('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    // RFC 4231, test case 2.
    expect(createSecretHasher({ current: 'Jefe' }).hash('what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('put the hash to store first among the candidates', () => {
    const hasher = createSecretHasher({ current: 'new', previous: 'old' })
    expect(hasher.candidates(secret)[0]).toEqual(hasher.hash(secret))
    expect(hasher.candidates(secret)).toHaveLength(3)
  })

  it.each([
    ['a pepper is introduced', { current: 'new' }, {}],
    ['the pepper is rotated', { current: 'new', previous: 'old' }, { current: 'old' }],
    ['the pepper is given up', { previous: 'old' }, { current: 'old' }],
  ])('are still recognized when %s', (_, later, earlier) => {
    expect(recognizes(later, earlier)).toBe(true)
  })

  it('are not recognized once their pepper is forgotten', () => {
    expect(recognizes({ current: 'new' }, { current: 'old' })).toBe(false)
    expect(recognizes({}, { current: 'old' })).toBe(false)
  })
})
