import { type DescMessage, type DescMethodUnary, type MessageInitShape, toJsonString } from '@bufbuild/protobuf'
import type { ConnectRouter, MethodImpl } from '@connectrpc/connect'
import { recordRoutes } from '../../src/call/recording-router.js'

/** What an implementation answered: the message, and the headers that it set. */
interface Outcome {
  readonly message: MessageInitShape<DescMessage>
  readonly header: readonly (readonly [name: string, value: string])[]
}

/** Outcomes of implementations by method and request; a rejected one is what was thrown. */
export type Outcomes = Map<string, Promise<Outcome>>

/**
 * The unary methods of `routes`, each request run once: who asks the same again, over whatever path, gets the very
 * outcome of the first time. Two paths with the same outcomes must then give the same bytes. The handler also sets a
 * header and a trailer, which it reads off the request.
 */
export function replayedRoutes(
  routes: (router: ConnectRouter) => unknown,
  outcomes: Outcomes,
): (router: ConnectRouter) => void {
  return (router) => {
    for (const { spec } of recordRoutes(routes)) {
      if (spec.kind !== 'unary') continue
      const replay: MethodImpl<DescMethodUnary> = async (request, context) => {
        context.responseHeader.set('x-echo', context.requestHeader.get('x-say') ?? 'nothing')
        context.responseTrailer.set('x-trailer', `${context.requestMethod} ${context.protocolName}`)
        const caller = context.requestHeader.get('authorization')
        const key = [spec.method.parent.typeName, spec.method.name, caller, toJsonString(spec.method.input, request)]
        const run = async (): Promise<Outcome> => {
          const before = new Set(context.responseHeader.keys())
          const message = await spec.impl(request, context)
          return { message, header: [...context.responseHeader].filter(([name]) => !before.has(name)) }
        }
        const outcome = outcomes.get(key.join('\n')) ?? run()
        outcomes.set(key.join('\n'), outcome)
        const { message, header } = await outcome
        for (const [name, value] of header) context.responseHeader.set(name, value)
        return message
      }
      router.rpc(spec.method as DescMethodUnary, replay)
    }
  }
}
