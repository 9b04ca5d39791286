import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { hrTime, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Call } from '../call/call.js'
import type { NodeRequest } from '../call/node-http.js'
import type { CallObserver } from '../call/serve-call.js'
import type { StatementObserver } from '../db/tables.js'
import { withoutPasswords } from '../http/password-masking.js'
import { describeAnswer, describeCall, failureKind, nameOfCall } from './call-attributes.js'

export type Tracing = ReturnType<typeof startTracing>

/** Most calls are not sampled, whatever their names are. */
const UNNAMED = ''
const LAST_SPANS_MILLIS = 2_000

const exporters = { 'http/json': JsonExporter, 'http/protobuf': ProtobufExporter }

/** The text without the header that Node quotes when it refuses it: all of `OTEL_EXPORTER_OTLP_HEADERS` without `=`. */
function withoutQuotedHeader(text: string): string {
  const start = text.search(/\[\\*"/)
  const end = text.lastIndexOf('"]')
  return start === -1 || end < start ? text : `${text.slice(0, start)}["***"]${text.slice(end + 2)}`
}

/**
 * Begins tracing, configured by OpenTelemetry's variables, which its libraries read themselves: the collector
 * (`OTEL_EXPORTER_OTLP_…`), sampling (`OTEL_TRACES_SAMPLER`), batches (`OTEL_BSP_…`) and the name
 * (`OTEL_SERVICE_NAME`). The log receives errors about spans that cannot be exported.
 */
export function startTracing({
  version,
  log,
  protocol = 'http/json',
}: {
  readonly version: string
  readonly protocol?: keyof typeof exporters
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}) {
  const warn = (message: string, ...details: unknown[]) => {
    const text = withoutPasswords([message, ...details.map(String)].join(' '))
    log.warn({ err: new Error(withoutQuotedHeader(text)) }, 'spans could not be exported')
  }
  diag.setLogger(
    { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const own = resourceFromAttributes({ 'service.name': 'svc', 'service.version': version, 'process.pid': process.pid })
  const resource = own.merge(detectResources({ detectors: [envDetector] }))
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new exporters[protocol]())],
  })
  const tracer = provider.getTracer('svc', version)
  const { timeOrigin } = performance
  const propagator = new W3CTraceContextPropagator()
  const traced = new WeakMap<NodeRequest, ReturnType<typeof createTracedCall>>()
  const calls: CallObserver = {
    begun: (call) => {
      const { request, startedAt } = call
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const drift = Date.now() - timeOrigin - performance.now()
      const startTime = timeOrigin + startedAt + drift
      const span = tracer.startSpan(UNNAMED, { kind: SpanKind.SERVER, startTime }, parent)
      if (!span.isRecording()) return
      span.updateName(nameOfCall(call)).setAttributes(describeCall(call))
      traced.set(request, createTracedCall(tracer, span, drift))
    },
    ended: (call) => traced.get(call.request)?.end(call),
  }
  return {
    calls,
    /** The span of a request's call; undefined if the call is not sampled. */
    callOf: (request: NodeRequest) => traced.get(request),
    createSharedStatements,
    /** Exports the remaining spans, within two seconds. Never rejects. */
    close: async () => {
      const exported = provider.shutdown().catch((error: unknown) => warn(String(error)))
      await Promise.race([exported, sleep(LAST_SPANS_MILLIS, undefined, { ref: false })])
      diag.disable()
    },
  }
}

/**
 * The trace of a sampled call, which observes the statements of the call and turns them into child spans. `drift` is
 * how far the system's clock is ahead of that of `performance`, in milliseconds: one for all spans of the call.
 */
function createTracedCall(tracer: Tracer, span: Span, drift: number) {
  const below = trace.setSpan(ROOT_CONTEXT, span)
  const { traceId, spanId } = span.spanContext()
  const timeOf = (millis: number) => hrTime(millis + drift)
  const add = (name: string, kind: SpanKind, startedAt: number, failure: unknown, attributes: Attributes) => {
    const added = tracer.startSpan(name, { kind, startTime: timeOf(startedAt), attributes }, below)
    if (failure !== undefined) {
      added.setAttribute('error.type', failureKind(failure)).setStatus({ code: SpanStatusCode.ERROR })
    }
    added.end(timeOf(performance.now()))
  }
  return {
    traceId,
    /** The header that passes its trace on (W3C Trace Context). */
    traceparent: `00-${traceId}-${spanId}-01`,
    statement: (name: string, startedAt: number, failure: unknown) =>
      add(name, SpanKind.CLIENT, startedAt, failure, { 'db.system.name': 'postgresql', 'db.query.summary': name }),
    transaction: (startedAt: number, failure: unknown) =>
      add('transaction', SpanKind.INTERNAL, startedAt, failure, { 'db.system.name': 'postgresql' }),
    end: (call: Call) => {
      const { attributes, isFault } = describeAnswer(call)
      span.setAttributes(attributes)
      if (isFault) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(timeOf(performance.now()))
    },
  }
}

/**
 * Observes statements that serve several calls at once, such as looking up the tokens of calls that arrived together.
 * The list of waiting calls is short because it has only traced ones.
 */
function createSharedStatements() {
  const waiting = new Set<{ readonly call: StatementObserver; readonly since: number; readonly recorded: string[] }>()
  return {
    /** Reports to a call statements that begin from now on, the first of each name, until the result is called. */
    observe: (call: StatementObserver) => {
      const waiter = { call, since: performance.now(), recorded: [] }
      waiting.add(waiter)
      return () => waiting.delete(waiter)
    },
    statement: (name: string, startedAt: number, failure: unknown) => {
      for (const { call, since, recorded } of waiting) {
        if (startedAt < since || recorded.includes(name)) continue
        recorded.push(name)
        call.statement(name, startedAt, failure)
      }
    },
    transaction: () => {},
  }
}
