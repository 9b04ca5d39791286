import { setTimeout as wait } from 'node:timers/promises'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { defineService, messageType, routesOf } from '../rest/fixture.js'

/** A service of each kind of method, whose messages are `rest.test.v1.Everything`. */
export const echoService = defineService(
  {
    Unary: { noSideEffects: true },
    ServerStream: { serverStream: true },
    ClientStream: { clientStream: true },
    Bidi: { clientStream: true, serverStream: true },
  },
  'EchoService',
)

/** The kinds of methods, by their names. */
export const kinds = ['Unary', 'ServerStream', 'ClientStream', 'Bidi'] as const

/** One of them. */
export type Kind = (typeof kinds)[number]

/** The path of a method. */
export const pathOf = (kind: string): string => `/rest.test.v1.EchoService/${kind}`

/** The messages of the service. */
export const everything = messageType('Everything')

type Fields = Record<string, unknown>

/**
 * Routes that answer what they get. The headers of a request say what else: `x-say` comes back as a header, and what the
 * handler received as a trailer; `x-delay` waits so many milliseconds; `x-fail` fails with that code, a detail and
 * metadata, after the messages, and with `x-fail-first` before any; `x-throw` throws what is no error of Connect.
 */
export const echoRoutes: (router: ConnectRouter) => void = routesOf(echoService, (input, context, method) => {
  const messages = method.methodKind.startsWith('client') || method.methodKind.startsWith('bidi') ? input : once(input)
  const outputs = echo(messages as unknown as AsyncIterable<Fields>, context, method.name)
  return method.methodKind === 'unary' || method.methodKind === 'client_streaming' ? last(outputs) : outputs
})

async function* echo(messages: AsyncIterable<Fields>, context: HandlerContext, kind: string): AsyncGenerator<Fields> {
  const { requestHeader, responseHeader, responseTrailer, requestMethod, protocolName } = context
  responseHeader.set('x-echo', requestHeader.get('x-say') ?? 'nothing')
  responseHeader.set('x-timeout', String(context.timeoutMs()))
  responseTrailer.set('x-trailer', `${requestMethod} ${protocolName}`)
  const code = requestHeader.get('x-fail')
  if (code !== null && requestHeader.has('x-fail-first')) throw failure(Number(code))
  const ids: unknown[] = []
  for await (const message of messages) {
    ids.push(message['id'])
    if (kind !== 'ClientStream') yield message
    if (kind === 'ServerStream') yield message
  }
  if (kind === 'ClientStream') yield { names: ids }
  await wait(Number(requestHeader.get('x-delay') ?? 0), undefined, { signal: context.signal })
  if (code !== null) throw failure(Number(code))
  if (requestHeader.has('x-throw')) throw new Error('a private failure')
}

function failure(code: Code): ConnectError {
  const detail = { desc: messageType('Leaf'), value: { name: 'why', count: 3 } }
  return new ConnectError('it failed: "é" 100%', code, { 'x-meta': 'extra', 'retry-after': '7' }, [detail])
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value
}

async function last(outputs: AsyncIterable<Fields>): Promise<Fields> {
  let output: Fields = {}
  for await (const each of outputs) output = each
  return output
}

/** What the service answers to messages of these ids. */
export function idsAnswered(kind: Kind, ids: readonly string[]): unknown[] {
  if (kind === 'ClientStream') return [{ names: ids }]
  return ids.flatMap((id) => (kind === 'ServerStream' ? [{ id }, { id }] : [{ id }]))
}

/** A code of failures that callers cause. */
export const failing = Code.FailedPrecondition
