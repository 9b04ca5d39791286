import { setTimeout as wait } from 'node:timers/promises'
import type { DescMethod, DescService, MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus,
  type HealthCheckResponseSchema,
  type HealthListResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js'
import { quoted } from '../protojson/invalid.js'
import { suggestion } from '../protojson/nearest.js'

/** The health service. */
export const healthService: DescService = Health

/** Whether a method is the one whose calls last as long as their clients watch. */
export function isWatch(method: DescMethod): boolean {
  return method === Health.method.watch
}

/** What health depends on. */
export interface HealthOptions {
  /** The services that can be asked for by name; the empty name is the server as a whole. */
  readonly services: readonly DescService[]
  /**
   * Whether calls can be answered now; the same for all services, because they use the same database. Never rejects.
   */
  readonly isReady: () => Promise<boolean>
  /** Aborts when the server takes no more calls: watches are told, and end. */
  readonly closing: AbortSignal
  /** How often a watched status is checked. Default 1 s. */
  readonly watchIntervalMillis?: number
}

/** Registers the health service of gRPC. */
export function createHealthRoutes(options: HealthOptions): (router: ConnectRouter) => void {
  const names = new Set(['', ...options.services.map((service) => service.typeName)])
  return (router) => {
    router.service(Health, {
      check: async ({ service }: HealthCheckRequest): Promise<MessageInitShape<typeof HealthCheckResponseSchema>> => {
        if (!names.has(service)) {
          const advice = suggestion(service, [...names].filter(Boolean))
          throw new ConnectError(`${quoted(service)} is not served here: ${advice}`, Code.NotFound)
        }
        return { status: await statusOf(options) }
      },
      list: async (): Promise<MessageInitShape<typeof HealthListResponseSchema>> => {
        const status = await statusOf(options)
        return { statuses: Object.fromEntries([...names].map((name) => [name, { status }])) }
      },
      watch: ({ service }: HealthCheckRequest, { signal }: HandlerContext) =>
        names.has(service)
          ? watchStatus(() => statusOf(options), options.watchIntervalMillis ?? 1000, options.closing, signal)
          : watchStatus(async () => UNKNOWN, UNKNOWN_INTERVAL_MILLIS, options.closing, signal),
    })
  }
}

/** A service that is not known stays so until the process ends; the stream is only kept open, as gRPC asks for. */
const UNKNOWN = HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN
const UNKNOWN_INTERVAL_MILLIS = 60_000

async function statusOf({ isReady }: HealthOptions): Promise<HealthCheckResponse_ServingStatus> {
  return (await isReady()) ? HealthCheckResponse_ServingStatus.SERVING : HealthCheckResponse_ServingStatus.NOT_SERVING
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
    await elapsed(intervalMillis, AbortSignal.any([closing, signal]))
  }
}

async function elapsed(millis: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(millis, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
