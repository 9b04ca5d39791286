import type { DescMethod } from '@bufbuild/protobuf'
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type MethodImpl,
  type MethodImplSpec,
} from '@connectrpc/connect'
import type { UniversalHandlerOptions } from '@connectrpc/connect/protocol'

/** An implementation that `routes` registered, with the options that were given for it. */
export interface RecordedMethod {
  readonly spec: MethodImplSpec
  readonly options: Partial<UniversalHandlerOptions>
}

/** Calls `routes` with a router that only records, and returns what was registered, in order. */
export function recordRoutes(routes: (router: ConnectRouter) => unknown): RecordedMethod[] {
  const recorded: RecordedMethod[] = []
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation, options) {
      const specs = createServiceImplSpec(service, implementation)
      for (const spec of Object.values(specs.methods)) recorded.push({ spec, options: options ?? {} })
      return router
    },
    rpc<M extends DescMethod>(method: M, implementation: MethodImpl<M>, options?: Partial<UniversalHandlerOptions>) {
      recorded.push({ spec: createMethodImplSpec(method, implementation), options: options ?? {} })
      return router
    },
  }
  routes(router)
  return recorded
}
