import {
  type Attributes,
  type HrTime,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api'
import { hrTimeDuration, type InstrumentationScope } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

/** What all spans of a process share. */
export interface SpanOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

/** What has happened below a call. */
export interface FinishedWork {
  readonly name: string
  readonly kind: SpanKind
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

const NOTHING: never[] = []
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET }
const FAILED: SpanStatus = { code: SpanStatusCode.ERROR }

/**
 * A span of work that is already over, for a span processor. OpenTelemetry's tracer would decide again whether it is
 * sampled, and check constant attributes: its spans cost ten times as much.
 */
export class FinishedSpan implements ReadableSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanContext: SpanContext
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: SpanStatus
  readonly attributes: Attributes
  readonly links = NOTHING
  readonly events = NOTHING
  readonly ended = true
  readonly resource: Resource
  readonly instrumentationScope: InstrumentationScope
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  readonly #context: SpanContext

  constructor({ resource, scope }: SpanOrigin, parent: SpanContext, spanId: string, work: FinishedWork) {
    const { traceId, traceFlags, traceState } = parent
    this.#context =
      traceState === undefined ? { traceId, spanId, traceFlags } : { traceId, spanId, traceFlags, traceState }
    this.name = work.name
    this.kind = work.kind
    this.parentSpanContext = parent
    this.startTime = work.startTime
    this.endTime = work.endTime
    this.status = work.hasFailed ? FAILED : UNSET
    this.attributes = work.attributes
    this.resource = resource
    this.instrumentationScope = scope
  }

  get duration(): HrTime {
    return hrTimeDuration(this.startTime, this.endTime)
  }

  spanContext(): SpanContext {
    return this.#context
  }
}
