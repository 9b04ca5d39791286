import { describe, expect, it } from 'vitest'
import { createApiKeySecret } from '../src/domain/api-key-secret.js'
import { ACCESS_TOKEN_PREFIX, createOpaqueToken, USER_TOKEN_PREFIX } from '../src/domain/bearer-token.js'
import { withoutCredentials } from '../src/domain/credential-redaction.js'
import { createTestRuntime } from './support/runtime.js'

const runtime = createTestRuntime()

describe('what a caller has written', () => {
  it('is written down without secrets and tokens', () => {
    const secrets = [
      createApiKeySecret('mk', runtime),
      createOpaqueToken(ACCESS_TOKEN_PREFIX, runtime),
      createOpaqueToken(USER_TOKEN_PREFIX, runtime),
    ]
    for (const secret of secrets) {
      const [, kind] = secret.split('_')
      const encoded = secret.replaceAll('_', '%5F')
      expect(withoutCredentials(`/v2/auth/revoke/${secret}/x`)).toBe(`/v2/auth/revoke/svc_${kind}_[redacted]/x`)
      expect(withoutCredentials(`/v2/${encoded}`)).toBe(`/v2/svc_${kind}_[redacted]`)
      expect(withoutCredentials(`${secret} ${secret}`)).toBe(`svc_${kind}_[redacted] svc_${kind}_[redacted]`)
      expect(withoutCredentials(secret.slice(0, -20))).toBe(`svc_${kind}_[redacted]`)
    }
  })

  it.each(['/v2/priorities/svc', '/v2/users/svc_users', 'svc_secretary', ''])('stays as it is: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text)
  })
})
