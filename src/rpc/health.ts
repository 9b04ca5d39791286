import type { DescMethod, DescService, MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus,
  type HealthCheckResponseSchema,
  type HealthListResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js'
import { ServiceError } from '../errors.js'
import { suggestion } from '../protojson/nearest.js'

export const healthService: DescService = Health

/** Whether a method is the one whose calls last as long as their clients watch. */
export function isWatch(method: DescMethod): boolean {
  return method === Health.method.watch
}

export interface HealthOptions {
  /** The services that can be asked for by name; the empty name is the server as a whole. */
  readonly services: readonly DescService[]
  /** Whether calls can be answered now; all services use the same database. Never rejects. */
  readonly isReady: () => Promise<boolean>
  /** Aborts when the server takes no more calls: watches are notified, and end. */
  readonly closing: AbortSignal
  /** The client address of a call, of which watches are counted. */
  readonly clientAddressOf: (context: HandlerContext) => string
  /** How often a watched status is checked. Default 1 s. */
  readonly watchIntervalMillis?: number
}

/** The most watches of one client address at a time. */
const MAX_WATCHES = 100

/** Registers the health service of gRPC. Responses repeat nothing of a request, since anyone may send one. */
export function createHealthRoutes(options: HealthOptions): (router: ConnectRouter) => void {
  const names = new Set(['', ...options.services.map((service) => service.typeName)])
  const watches = new Map<string, number>()
  const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus
  const read = async () => ((await options.isReady()) ? SERVING : NOT_SERVING)
  return (router) => {
    router.service(Health, {
      check: async ({ service }: HealthCheckRequest): Promise<MessageInitShape<typeof HealthCheckResponseSchema>> => {
        if (!names.has(service)) {
          const advice = suggestion(service, [...names].filter(Boolean))
          throw new ConnectError(`this service is not served here: ${advice}`, Code.NotFound)
        }
        return { status: await read() }
      },
      list: async (): Promise<MessageInitShape<typeof HealthListResponseSchema>> => {
        const status = await read()
        return { statuses: Object.fromEntries([...names].map((name) => [name, { status }])) }
      },
      watch: ({ service }: HealthCheckRequest, context: HandlerContext) => {
        countWatch(watches, options.clientAddressOf(context), context.signal)
        // A service that is not known stays so; the stream is only kept open, as gRPC asks for.
        const readNamed = names.has(service) ? read : async () => SERVICE_UNKNOWN
        return watchStatus(readNamed, options.watchIntervalMillis ?? 1000, options.closing, context.signal)
      },
    })
  }
}

/** Counts a watch of an address until its signal aborts. Throws `RATE_LIMITED` for one too many. */
function countWatch(watches: Map<string, number>, address: string, signal: AbortSignal): void {
  if (signal.aborted) return
  const count = watches.get(address) ?? 0
  if (count >= MAX_WATCHES) {
    throw new ServiceError('RATE_LIMITED', `a client address can have ${MAX_WATCHES} watches open at a time: end one`)
  }
  watches.set(address, count + 1)
  const leave = () => {
    const left = (watches.get(address) ?? 1) - 1
    if (left > 0) watches.set(address, left)
    else watches.delete(address)
  }
  signal.addEventListener('abort', leave, { once: true })
}

/** The first status, then every change, until the caller goes away or the server stops. */
async function* watchStatus(
  read: () => Promise<HealthCheckResponse_ServingStatus>,
  intervalMillis: number,
  closing: AbortSignal,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof HealthCheckResponseSchema>> {
  let last: HealthCheckResponse_ServingStatus | undefined
  while (!signal.aborted) {
    const status = await read()
    if (status !== last) yield { status }
    last = status
    if (closing.aborted) return
    await elapsed(intervalMillis, closing, signal)
  }
}

/** Resolves after a time, or as soon as one of the signals aborts, on none of which anything is left. */
function elapsed(millis: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some(({ aborted }) => aborted)) end()
  })
}
