import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { parseTemplate, templateToString } from '../../src/rest/template.js'
import { caseNames, nameOf, parameters, routes, templates } from './cases-of-others.js'
import { defineService, routesOf } from './fixture.js'
import { startServer, type TestServer } from './http.js'
import { otherCases } from './recorder/explained-differences.js'

const explanations = otherCases.flatMap(({ cases }) => Object.entries(cases))
const explained = explanations.map(([name]) => name)
const oursByName = new Map(explanations)

/** Expects what the other project does, or what is explained instead. */
function compare(name: string, ours: unknown, theirs: unknown): void {
  expect(ours).toEqual(oursByName.has(name) ? oursByName.get(name) : theirs)
  if (oursByName.has(name)) expect(ours).not.toEqual(theirs)
}

describe('the cases of others', () => {
  it('are explained once where they differ', () => {
    expect(explained.filter((name, index) => !caseNames.includes(name) || explained.indexOf(name) !== index)).toEqual(
      [],
    )
  })

  it('have names of their own where they are explained', () => {
    expect(explained.filter((name) => caseNames.indexOf(name) !== caseNames.lastIndexOf(name))).toEqual([])
  })

  it('match the numbers in the documentation', () => {
    const figures = `| ${caseNames.length} | ${caseNames.length - explained.length} | ${explained.length} | 0 |`
    expect(readFileSync('docs/reliability.md', 'utf8')).toContain(figures)
  })
})

describe('a template is read as the tests of others expect', () => {
  it.each(templates)('%s: %s', (_, text, expected) => {
    const template = parseTemplate(text)
    const ours = typeof template === 'string' ? null : templateToString({ ...template, variables: [] })
    compare(text, ours?.replaceAll('%3D', '=') ?? null, expected)
  })
})

describe.each(routes)('a request leads where the tests of $of expect', ({ rules, requests }) => {
  const service = defineService(Object.fromEntries(rules.map((rule, index) => [`Rule${index}`, { rule }])))
  let reached: number | undefined
  const echo = routesOf(service, (message, _context, { name }) => {
    reached = Number(name.slice('Rule'.length))
    return message
  })
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(createRestTranscoder({ routes: echo }))
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it.each(requests.map(([request, expected]) => [nameOf(request), request, expected] as const))(
    '%s',
    async (name, request, expected) => {
      reached = undefined
      const { status, text } = await server.send(request)
      compare(name, status === 200 ? [reached, JSON.parse(text)] : status, expected)
    },
  )
})

describe('a query is read as the tests of others expect', () => {
  const service = defineService({ List: { rule: { get: '/list' } } })
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(createRestTranscoder({ routes: routesOf(service, (message) => message) }))
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it.each(parameters)('%s: %s', async (_, query, expected) => {
    const { status, text } = await server.send({ target: `/list?${query}` })
    compare(query, status === 200 ? JSON.parse(text) : status === 400 ? null : status, expected)
  })
})
