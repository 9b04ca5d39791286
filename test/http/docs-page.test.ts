import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionV1Alpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { services } from '../../src/handlers/routes.js'
import { packageRoot } from '../../src/package.js'
import { startTestService, type TestService } from '../support/service.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe('the pages', () => {
  it('forbid every other host and every inline script', async () => {
    const { headers } = await service.rest('GET', '/docs')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('index the service for programs: every link opens, every form exists, every service answers', async () => {
    const { status, json } = await service.rest('GET', '/')
    expect(status).toBe(200)
    expect(json).toMatchObject({ name: 'svc', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    expect(Object.values(json.links)).toEqual(
      expect.arrayContaining(['/docs', '/v2/openapi.json', '/v2/openapi.yaml', '/healthz', '/readyz']),
    )
    for (const path of Object.values<string>(json.links)) {
      expect([path, (await service.rest('GET', path)).status]).toEqual([path, 200])
    }
    expect(json.forms).toEqual({ token: '/v2/auth/token', revocation: '/v2/auth/revoke' })
    for (const path of Object.values<string>(json.forms)) {
      expect([path, (await service.rest('POST', path, { form: {} })).status]).toEqual([path, 400])
    }
    const { rest, ...rpc } = json.protocols
    expect([rest, Object.keys(rpc)]).toEqual(['/v2', ['connect', 'grpc', 'grpcWeb']])
    expect(json.services).toEqual(services.map(({ typeName }) => typeName))
    expect(json.reflection).toEqual([ServerReflection.typeName, ServerReflectionV1Alpha.typeName])
    expect(json.health).toEqual([Health.typeName])
  })

  it('include every guide, and a list of them, as Markdown for programs', async () => {
    const list = await service.rest('GET', '/docs/guides')
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const names = readdirSync(join(packageRoot(), 'docs')).filter((name) => name.endsWith('.md'))
    for (const name of names) {
      const { status, text } = await service.rest('GET', `/docs/guides/${name}`)
      expect([name, status, text]).toEqual([name, 200, readFileSync(join(packageRoot(), 'docs', name), 'utf8')])
      if (name !== 'README.md') expect(list.text).toContain(`](${name})`)
    }
    expect((await service.rest('GET', '/docs/guides/..%2Fpackage.json')).status).toBe(404)
  })

  it('include guides as pages whose links all work', async () => {
    const html = { headers: { accept: 'text/html,*/*' } }
    const pages = new Map<string, string>()
    for (const name of ['', ...readdirSync(join(packageRoot(), 'docs')).filter((file) => file.endsWith('.md'))]) {
      const path = name === '' ? '/docs/guides' : `/docs/guides/${name}`
      const { status, headers, text } = await service.rest('GET', path, html)
      expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
        200,
        'text/html; charset=utf-8',
        expect.stringContaining('accept'),
      ])
      pages.set(path, text)
    }
    const linksOf = (path: string, text: string) =>
      [...text.matchAll(/ href="([^"]*)"/g)].map(([, target = '']) => new URL(target, `http://svc.test${path}`))
    const links = [...pages].flatMap(([path, text]) => linksOf(path, text)).filter(({ host }) => host === 'svc.test')
    expect(links.length).toBeGreaterThan(100)
    const leadsNowhere = ({ pathname, hash }: URL) =>
      hash === ''
        ? !['/', '/docs'].includes(pathname) && !pages.has(pathname)
        : !pages.get(pathname)?.includes(` id="${hash.slice(1)}"`)
    expect(links.filter(leadsNowhere).map(String)).toEqual([])
  })

  it('index the service for people, with everything that programs can read', async () => {
    const answer = await service.rest('GET', '/', { headers: { accept: 'text/html,*/*' } })
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('vary')).toContain('accept')
    const { links, forms, reflection, health } = (await service.rest('GET', '/')).json
    const expected = [
      ...Object.values<string>(links).map((path) => `<a href="${path}">${path}</a>`),
      ...Object.values<string>(forms).map((path) => `POST ${path}<`),
      'REST ',
      'Connect ',
      'gRPC ',
      'gRPC-Web ',
      ...reflection,
      ...health,
    ]
    expect(expected.filter((text) => !answer.text.includes(text))).toEqual([])
  })

  it('answer HEAD like GET without the body, and other methods with 405', async () => {
    const get = await service.rest('GET', '/docs', { headers: { 'accept-encoding': 'identity' } })
    const head = await service.rest('HEAD', '/docs', { headers: { 'accept-encoding': 'identity' } })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    const post = await service.rest('POST', '/docs')
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await service.rest('OPTIONS', '/docs')).status).toBe(204)
  })

  it.each([
    ['gzip', 'gzip'],
    ['gzip;q=0', null],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['x-gzip', null],
    ['identity', null],
  ])('are compressed for Accept-Encoding %s: %s', async (accepted, coding) => {
    const answer = await service.rest('GET', '/v2/openapi.json', { headers: { 'accept-encoding': accepted } })
    expect(answer.headers.get('content-encoding')).toBe(coding)
    expect(answer.json.openapi).toBe('3.1.0')
  })
})
