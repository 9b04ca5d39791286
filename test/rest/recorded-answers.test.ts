import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { startServer, type TestServer } from './http.js'
import { differencesFrom, takeAlike } from './recorder/differences.js'
import { createEcho } from './recorder/echo-service.js'
import { explanations } from './recorder/explained-differences.js'
import { type Outcome, outcomeOf } from './recorder/outcome.js'
import { rows } from './rows/index.js'

interface RecordedRow {
  readonly row: string
  /** By the name of the transcoder. */
  readonly others: Readonly<Record<string, Outcome>>
}

const [head = '{}', ...lines] = readFileSync('test/rest/recorded-answers.ndjson', 'utf8').trimEnd().split('\n')
const transcoders = Object.keys(JSON.parse(head))
const recorded = lines.map((line) => JSON.parse(line) as RecordedRow)
const othersByRow = new Map(recorded.map(({ row, others }) => [row, Object.values(others)]))
const explained = explanations.flatMap(({ rows, differs }) => rows.map((row) => [row, differs] as const))
const explainedByRow = new Map(explained)

describe('the recorded responses', () => {
  it('cover every row of two transcoders, and nothing else', () => {
    expect(recorded.map(({ row }) => row)).toEqual(rows.map(({ name }) => name).toSorted())
    expect(othersByRow.size).toBe(rows.length)
    expect(transcoders).toEqual(['grpc-gateway', 'vanguard-go'])
    expect(recorded.filter(({ others }) => Object.keys(others).join() !== transcoders.join())).toEqual([])
  })

  it('have differences that are explained once, for existing rows', () => {
    expect(explained.map(([row]) => row).filter((row) => !othersByRow.has(row))).toEqual([])
    expect(explainedByRow.size).toBe(explained.length)
  })

  it('match the numbers in the documentation', () => {
    const alike = recorded.filter(({ row }) => takeAlike(othersByRow.get(row) ?? [])).length
    const figures = `| ${rows.length} | ${alike} | ${explained.length} | 0 |`
    expect(readFileSync('docs/reliability.md', 'utf8')).toContain(figures)
  })
})

describe('the transcoder agrees where the others agree', () => {
  const echo = createEcho()
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(createRestTranscoder({ routes: echo.routes }))
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it.each(rows)('$name', async ({ name, request }) => {
    const ours = outcomeOf(await server.send(request), echo.takeCall())
    const differences = differencesFrom(ours, othersByRow.get(name) ?? [])
    const expected = explainedByRow.get(name) ?? []
    // Whole, so that a failure shows what was answered.
    if (expected.length === 0) expect(differences).toEqual({})
    else expect(Object.keys(differences)).toEqual(expected)
  })
})
