import { readdirSync } from 'node:fs'
import type { DescService } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { httpRuleFromMethod } from '../../src/rest/http-rule.js'
import { createRestTranscoder } from '../../src/rest/index.js'
import { startServer, type TestServer } from './http.js'

const files = readdirSync('gen/svc/v2').filter((name) => name.endsWith('_pb.ts'))
const modules: Record<string, unknown>[] = []
for (const name of files) modules.push(await import(`../../gen/svc/v2/${name}`))
const services = modules.flatMap((module) => Object.values(module)).filter(isService)

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service'
}

const methods = services.flatMap((service) => service.methods.map((method) => ({ name: String(method), method })))

describe('the services of this project', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(
      createRestTranscoder({
        routes(router) {
          for (const service of services) router.service(service, {})
        },
      }),
    )
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  it('have more than 15 methods', () => {
    expect(methods.length).toBeGreaterThan(15)
  })

  it.each(methods)('include $name, which its rule reaches', async ({ method }) => {
    const rule = httpRuleFromMethod(method)
    if (rule?.method === undefined) throw new Error('no rule')
    const target = rule.path.replace(/\{[^}]*\}/g, 'some-id')
    const body =
      rule.body === '' ? {} : { headers: { 'content-type': 'application/json' }, body: rule.body === '*' ? '{}' : '[]' }
    const response = await server.send({ method: rule.method, target, ...body })
    // Nothing is implemented here: that answer comes from the method itself, behind routing and binding.
    expect(JSON.parse(response.text)).toEqual({
      code: 'unimplemented',
      message: `${method.parent.typeName}.${method.name} is not implemented`,
    })
    expect(response.status).toBe(501)
    const options = await server.send({ method: 'OPTIONS', target })
    expect(options.headers.allow?.split(', ')).toContain(rule.method)
  })
})
