import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { auditActions, isAuditAction } from '../../src/store/audit-action.js'

const src = join(import.meta.dirname, '../../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && path !== join('store', 'audit-action.ts'))
  .map((path) => readFileSync(join(src, path), 'utf8'))

describe('the actions of the audit log', () => {
  it.each(auditActions)('%s is recorded by something', (action) => {
    // Those of resources with standard methods are made of the name that the resource has in the audit log.
    const [auditedAs = ''] = action.split('.')
    const texts = [`'${action}'`, `auditedAs: '${auditedAs}'`]
    expect(sources.some((source) => texts.some((text) => source.includes(text)))).toBe(true)
  })

  it('are distinguished from other texts', () => {
    expect(auditActions.every(isAuditAction)).toBe(true)
    expect(['', 'user', 'user.updated'].filter(isAuditAction)).toEqual([])
  })

  it('are in alphabetical order without duplicates', () => {
    expect([...new Set(auditActions)].sort()).toEqual(auditActions)
  })
})
