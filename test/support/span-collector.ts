import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

/** A span as it was sent. */
export interface CollectedSpan {
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly hasFailed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
}

/** An OpenTelemetry collector on a port of its own that accepts spans in JSON, and keeps those in protobuf as they are. */
export interface SpanCollector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  readonly encoded: readonly { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[]
  stop(): Promise<void>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface SentSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code: number }
  readonly attributes: readonly Attribute[]
}

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

const KINDS = { 1: 'internal', 2: 'server', 3: 'client' } as const
const FAILED = 2

/** Starts the collector. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = []
  const encoded: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const { headers } = request
      const body = Buffer.concat(chunks)
      const type = headers['content-type'] ?? ''
      if (type === 'application/x-protobuf') encoded.push({ headers, body })
      else spans.push(...spansFrom(JSON.parse(body.toString('utf8'))))
      response.writeHead(200, { 'content-type': type }).end(type === 'application/x-protobuf' ? '' : '{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    spans,
    encoded,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansFrom({ resourceSpans }: SentSpans): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: KINDS[span.kind === 2 ? 2 : span.kind === 3 ? 3 : 1],
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        hasFailed: span.status.code === FAILED,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  )
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
