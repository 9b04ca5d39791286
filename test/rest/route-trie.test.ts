import { describe, expect, it } from '@jest/globals'
import { createRouteTrie } from '../../src/rest/route-trie.js'
import { parseTemplate } from '../../src/rest/template.js'

function templateOf(path: string) {
  const template = parseTemplate(path)
  if (typeof template === 'string') throw new Error(template)
  return template
}

function trieOf(...routes: string[]) {
  const trie = createRouteTrie<string>()
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ')
    expect(trie.insert(templateOf(path), method, route)).toBeUndefined()
  }
  return trie
}

const trie = trieOf(
  'GET /a/{x}/c/d/e',
  'GET /{x=a/*}/b/{y=*}/c',
  'GET /a/{x=b/*}/{y=d/**}',
  'GET /{x=*}/a',
  'GET /a/b/{x=*}',
  'GET /a/b/c/{x=**}',
  'GET /{x=*}/d/e/f/{y=**}',
  'GET /person',
  'GET /person/{id=*}',
  'GET /{x=**}:verb',
  'POST /person/{id}:verb',
  'GET /c/*/d/**',
  'GET /c/*/d/e',
  'GET /c/f/d/e',
  'DELETE /c/f/d/e',
  'POST /c/*/d/e',
  'PUT /c/**',
  'GET /some/const:verb',
  'GET /some/*:verb',
  'GET /some/*/foo:verb',
  '* /any/{x}',
  'HEAD /any/{x}',
  'GET /lit%20eral/{x}',
  'GET /%C3%BC%ab/{x}:%2C',
)

describe('the best route', () => {
  it.each([
    ['GET', '/a/book/c/d/e', 'GET /a/{x}/c/d/e', ['book']],
    ['GET', '/a/hello/b/world/c', 'GET /{x=a/*}/b/{y=*}/c', ['a/hello', 'world']],
    ['GET', '/a/b/zoo/d/animal/tiger', 'GET /a/{x=b/*}/{y=d/**}', ['b/zoo', 'd/animal/tiger']],
    ['GET', '/a/b/zoo/d', 'GET /a/{x=b/*}/{y=d/**}', ['b/zoo', 'd']],
    ['GET', '/foo/a', 'GET /{x=*}/a', ['foo']],
    ['GET', '/a/b/foo', 'GET /a/b/{x=*}', ['foo']],
    ['GET', '/a/b/c/foo/bar/baz', 'GET /a/b/c/{x=**}', ['foo/bar/baz']],
    ['GET', '/a/b/c/', 'GET /a/b/c/{x=**}', ['']],
    ['GET', '/foo/d/e/f/bar/baz', 'GET /{x=*}/d/e/f/{y=**}', ['foo', 'bar/baz']],
    ['GET', '/foo/d/e/f', 'GET /{x=*}/d/e/f/{y=**}', ['foo', '']],
    ['GET', '/c/u/d/v', 'GET /c/*/d/**', []],
    ['GET', '/c/x/d/e', 'GET /c/*/d/e', []],
    ['GET', '/c/f/d/e', 'GET /c/f/d/e', []],
    ['DELETE', '/c/f/d/e', 'DELETE /c/f/d/e', []],
    ['POST', '/c/f/d/e', 'POST /c/*/d/e', []],
    ['PUT', '/c/f/d/e', 'PUT /c/**', []],
    ['PUT', '/c', 'PUT /c/**', []],
    ['GET', '/person', 'GET /person', []],
    ['GET', '/person/jason', 'GET /person/{id=*}', ['jason']],
    ['GET', '/person:verb', 'GET /{x=**}:verb', ['person']],
    ['GET', '/person/jason:verb', 'GET /{x=**}:verb', ['person/jason']],
    ['POST', '/person/jason:verb', 'POST /person/{id}:verb', ['jason']],
    ['GET', '/person/jason:other', 'GET /person/{id=*}', ['jason:other']],
    ['GET', '/person/:other', 'GET /person/{id=*}', [':other']],
    ['GET', '/some:verb/x:verb', 'GET /{x=**}:verb', ['some:verb/x']],
    ['GET', '/some/const:verb', 'GET /some/const:verb', []],
    ['GET', '/some/other:verb', 'GET /some/*:verb', []],
    ['GET', '/some/bar/foo:verb', 'GET /some/*/foo:verb', []],
    ['GET', '/x:ver%62', 'GET /{x=**}:verb', ['x']],
    ['REPORT', '/any/1', '* /any/{x}', ['1']],
    ['HEAD', '/any/1', 'HEAD /any/{x}', ['1']],
    ['HEAD', '/person', 'GET /person', []],
    ['GET', '/lit%20eral/%2520', 'GET /lit%20eral/{x}', ['%2520']],
    ['GET', '/\u00c3%bc%AB/a:,', 'GET /%C3%BC%ab/{x}:%2C', ['a']],
    ['GET', '/li%74%20eral/%2F', 'GET /lit%20eral/{x}', ['%2F']],
  ])('of %s %s is %s', (method, path, route, captures) => {
    expect(trie.find(path, method)).toEqual({ route, captures })
  })

  it.each([
    ['GET', ''],
    ['GET', 'person'],
    ['GET', '/'],
    ['GET', '/person/'],
    ['GET', '//person'],
    ['GET', '/person/a/b'],
    ['GET', '/c//d/w'],
    ['GET', '/animal'],
    ['GET', '/animal:other'],
    ['GET', '/some/other:verb/'],
    ['GET', '/x%3Averb'],
    ['PATCH', '/person'],
    ['get', '/person'],
    ['GET', '/%zz'],
  ])('of %s %s does not exist', (method, path) => {
    expect(trie.find(path, method)).toBeUndefined()
  })
})

describe('the allowed methods', () => {
  it.each([
    ['/c/f/d/e', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']],
    ['/person/jason:verb', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/c', ['OPTIONS', 'PUT']],
    ['/nowhere', []],
  ])('of %s are %j', (path, methods) => {
    expect(trie.allowed(path)).toEqual(methods)
  })
})

describe('a second route with the same shape, verb and method', () => {
  it.each([
    ['/v1/{a}', '/v1/{b}'],
    ['/v1/{a}', '/v1/*'],
    ['/v1/{a=**}', '/v1/**'],
    ['/v1/{a=x/*}', '/v1/x/{b}'],
    ['/v1/%61', '/v1/a'],
    ['/v1/a:v', '/v1/a:%76'],
  ])('%s and %s conflict', (one, other) => {
    const fresh = trieOf(`GET ${one}`)
    expect(fresh.insert(templateOf(other), 'GET', other)).toBe(`GET ${one}`)
    expect(fresh.insert(templateOf(other), 'POST', other)).toBeUndefined()
  })
})

it('a route is found in a trie designed to make it backtrack', () => {
  const paths: string[] = []
  for (let bits = 0; bits < 256; bits++) {
    paths.push(Array.from({ length: 8 }, (_, index) => ((bits >> index) & 1 ? 'a' : '*')).join('/'))
  }
  const deep = trieOf(...paths.map((path) => `GET /${path}/end${path.length % 7}`))
  expect(deep.find(`/${'a/'.repeat(8)}nowhere`, 'GET')).toBeUndefined()
  expect(deep.find(`/${'a/'.repeat(8)}end${15 % 7}`, 'GET')?.route).toBe(`GET /${'a/'.repeat(8)}end${15 % 7}`)
})
