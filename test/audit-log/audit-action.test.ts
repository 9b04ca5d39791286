import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { auditActions, isAuditAction } from '../../src/store/audit-action.js'

const src = join(import.meta.dirname, '../../src')
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && path !== join('store', 'audit-action.ts'))
    .map((path) => [path, readFileSync(join(src, path), 'utf8')] as const),
)

describe('the actions of the audit log', () => {
  it.each(auditActions)('%s is recorded by something', (action) => {
    const [target = '', verb = ''] = action.split('.')
    // A resource with standard methods records what its file in the store is called.
    const isStandard =
      ['create', 'update', 'delete'].includes(verb) &&
      [...sources].some(
        ([path, source]) =>
          path.endsWith(`${target.replaceAll('_', '-')}.ts`) && /\bcreateStandardStore[<(]/.test(source),
      )
    const isNamed = [...sources.values()].some((source) => source.includes(`'${action}'`))
    expect(isStandard || isNamed).toBe(true)
  })

  it('are distinguished from other texts', () => {
    expect(auditActions.every(isAuditAction)).toBe(true)
    expect(['', 'user', 'user.updated'].filter(isAuditAction)).toEqual([])
  })

  it('are in alphabetical order without duplicates', () => {
    expect([...new Set(auditActions)].sort()).toEqual(auditActions)
  })
})
