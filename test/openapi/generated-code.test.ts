import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'

const root = join(import.meta.dirname, '../..')

describe('plain buf generate', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(scratchFolder(), 'generated-'))
    execFileSync(join(root, 'node_modules/.bin/buf'), ['generate', '-o', folder], { cwd: root })
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  it('gives exactly the code that is committed', () => {
    const generated = codeIn(join(folder, 'gen'))
    expect(generated.size).toBeGreaterThan(30)
    expect([...generated.keys()]).toEqual([...codeIn(join(root, 'gen')).keys()])
    const different = [...generated].filter(([name, text]) => readFileSync(join(root, 'gen', name), 'utf8') !== text)
    expect(different.map(([name]) => name)).toEqual([])
  })
})

/** The TypeScript that buf generates, by its name in a folder. */
function codeIn(folder: string): Map<string, string> {
  const names = ['buf', 'google', 'grpc', 'svc'].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(name, file)),
  )
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
