import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { defineService, echoRoutes, type MethodInit, type RuleInit } from './fixture.js'

function messageOf(methods: Record<string, MethodInit>): string {
  const routes = echoRoutes(defineService(methods))
  try {
    createRestTranscoder({ routes })
    return 'no fault'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('a rule that cannot be served is refused when the transcoder is built', () => {
  it.each<[string, RuleInit & MethodInit, string]>([
    [
      'a bad template',
      { get: '/v1/{id' },
      'path "/v1/{id": column 8: expected "=" or "}", found the end of the template',
    ],
    ['no pattern', { body: '*' }, 'the rule has no pattern'],
    ['an empty path', { get: '' }, 'column 1: expected "/"'],
    [
      'an unknown path field',
      { get: '/v1/{nope}' },
      'column 6: variable "nope": no field "nope" in rest.test.v1.Everything',
    ],
    ['a path field by its JSON name', { get: '/v1/{floatValue}' }, 'variable "floatValue": no field'],
    ['a field of a scalar', { get: '/v1/{id.x}' }, 'variable "id.x": id has no fields'],
    ['a repeated path field', { get: '/v1/{names}' }, 'variable "names": a repeated field cannot be bound by the path'],
    [
      'a field of a repeated message',
      { get: '/v1/{leaves.name}' },
      'variable "leaves.name": leaves is a repeated field',
    ],
    ['a map', { get: '/v1/{labels}' }, 'variable "labels": labels is a map'],
    ['a message', { get: '/v1/{leaf}' }, 'variable "leaf": leaf is a message (rest.test.v1.Leaf)'],
    ['a struct', { get: '/v1/{struct}' }, 'variable "struct": struct is a message (google.protobuf.Struct)'],
    ['one field twice', { get: '/v1/{id}/x/{id}' }, 'column 13: variable "id": bound twice'],
    ['a field and what is inside of it', { get: '/v1/{int32_wrapper}/{int32_wrapper.value}' }, 'bound twice'],
    ['an unknown body field', { post: '/v1', body: 'nope' }, 'body "nope": no such field in rest.test.v1.Everything'],
    [
      'a body field deep inside',
      { post: '/v1', body: 'leaf.name' },
      'body "leaf.name": no such field in rest.test.v1.Everything (it must be a field of the message itself)',
    ],
    [
      'two members of a oneof',
      { get: '/v1/{choice_text}/{choice_leaf.name}' },
      'column 20: variable "choice_leaf.name": the path binds another member of the same oneof',
    ],
    [
      'a body that the path shuts out of its oneof',
      { post: '/v1/{choice_text}', body: 'choice_leaf' },
      'body "choice_leaf": the path binds another member of the same oneof',
    ],
    ['a body that the path binds', { post: '/v1/{id}', body: 'id' }, 'body "id" is bound by the path already'],
    ['an unknown response field', { get: '/v1', responseBody: 'nope' }, 'response_body "nope": no such field'],
    ['the response body *', { get: '/v1', responseBody: '*' }, 'response_body "*": no such field'],
    [
      'a custom kind that is not a method',
      { custom: { kind: 'A B', path: '/v1' } },
      'custom kind "A B" is not an HTTP method',
    ],
    ['a custom kind without a name', { custom: { kind: '', path: '/v1' } }, 'custom kind "" is not an HTTP method'],
    [
      'nested additional bindings',
      { get: '/v1', additional: [{ get: '/v2', additional: [{ get: '/v3' }] }] },
      'additional_bindings must not nest',
    ],
    ['a fault in an additional binding', { get: '/v1', additional: [{ get: '/v2/{nope}' }] }, 'variable "nope"'],
  ])('%s', (_, rule, fault) => {
    const message = messageOf({ Broken: { rule } })
    expect(message).toContain(`rest.test.v1.TestService.Broken: `)
    expect(message).toContain(fault)
  })

  it('a stream of requests', () => {
    const message = messageOf({
      Up: { clientStream: true, rule: { post: '/up', body: '*' } },
      Both: { clientStream: true, serverStream: true, rule: { post: '/both', body: '*' } },
    })
    expect(message).toContain('rest.test.v1.TestService.Up: a stream of requests cannot be mapped to HTTP')
    expect(message).toContain('rest.test.v1.TestService.Both: a stream of requests cannot be mapped to HTTP')
  })

  it('two bindings with the same shape, verb and method, naming both methods', () => {
    const message = messageOf({ One: { rule: { get: '/v1/{id}' } }, Two: { rule: { get: '/v1/{opt}' } } })
    expect(message).toContain(
      'GET /v1/{opt} of rest.test.v1.TestService.Two conflicts with GET /v1/{id} of rest.test.v1.TestService.One',
    )
  })

  it('two bindings of one custom kind', () => {
    const kind = { kind: '*', path: '/v1' }
    expect(messageOf({ One: { rule: { custom: kind } }, Two: { rule: { custom: kind } } })).toContain('conflicts with')
  })

  it('all faults in one error', () => {
    const message = messageOf({
      One: { rule: { get: '/v1/{nope}/{id}/{id}' } },
      Two: { rule: { post: '/v1', body: 'nope', responseBody: 'nope' } },
      Three: { rule: { get: '/v1/same' } },
      Four: { rule: { get: '/v1/same' } },
    })
    expect(message).toMatch(/^the HTTP rules have 5 fault\(s\):\n/)
    expect(message.split('\n')).toHaveLength(6)
  })
})

describe('a valid rule', () => {
  it.each<[string, Record<string, MethodInit>]>([
    [
      'a method without a rule, of any kind',
      { A: {}, B: { clientStream: true }, C: { clientStream: true, serverStream: true } },
    ],
    [
      'one path with several methods',
      { A: { rule: { get: '/v1', additional: [{ post: '/v1', body: '*' }, { custom: { kind: '*', path: '/v1' } }] } } },
    ],
    [
      'a literal beside a variable',
      { A: { rule: { get: '/v1/a' } }, B: { rule: { get: '/v1/{id}' } }, C: { rule: { get: '/v1/{id=**}' } } },
    ],
    ['one shape with and without a verb', { A: { rule: { get: '/v1/{id}' } }, B: { rule: { get: '/v1/{id}:v' } } }],
    ['a path variable inside of the body field', { A: { rule: { patch: '/v1/{leaf.name=x/*}', body: 'leaf' } } }],
    ['well-known types in the path', { A: { rule: { get: '/v1/{at}/{lasting}/{mask}/{int64_wrapper}/{data}' } } }],
  ])('%s', (_, methods) => {
    expect(messageOf(methods)).toBe('no fault')
  })
})
