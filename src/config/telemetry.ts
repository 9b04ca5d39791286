import * as v from 'valibot'

/** How traces can be sent (OpenTelemetry Protocol, `OTEL_EXPORTER_OTLP_PROTOCOL`). */
const protocols = ['http/json', 'http/protobuf'] as const

/**
 * OpenTelemetry's variables that are read here; its libraries read the others themselves. Platforms set them for all
 * their programs: what means nothing here is logged and ignored, as its specification says ("Environment Variable
 * Specification", Enum).
 */
export const telemetryVariables = {
  OTEL_SDK_DISABLED: v.optional(v.string()),
  OTEL_TRACES_EXPORTER: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_PROTOCOL: v.optional(v.string()),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: v.optional(v.string()),
}

type TelemetryValues = { readonly [Name in keyof typeof telemetryVariables]?: string | undefined }

/** How traces are exported. `ignored` has a sentence for each variable that has no effect here. */
export function traceSettings(values: TelemetryValues) {
  const ignored: string[] = []
  const usable = <Value extends string>(
    name: keyof TelemetryValues,
    read: (text: string) => Value | undefined,
    what: string,
  ): Value | undefined => {
    const text = values[name]
    const value = text === undefined ? undefined : read(text)
    if (text !== undefined && value === undefined) ignored.push(`${name} is ignored: it must be ${what} here`)
    return value
  }
  const protocolFrom = (text: string) => protocols.find((each) => each === text.trim().toLowerCase())
  const protocolIn = (name: keyof TelemetryValues) => usable(name, protocolFrom, protocols.join(' or '))
  const endpointIn = (name: keyof TelemetryValues) => usable(name, endpointFrom, 'an http or https URL')
  const exporter = usable('OTEL_TRACES_EXPORTER', exporterFrom, 'otlp or none')
  const ofTraces = endpointIn('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const endpoint = ofTraces ?? endpointIn('OTEL_EXPORTER_OTLP_ENDPOINT')
  const own = protocolIn('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL')
  const protocol = own ?? protocolIn('OTEL_EXPORTER_OTLP_PROTOCOL')
  const isDisabled = values.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || exporter === 'none'
  // Off unless a collector is configured: the default address of OpenTelemetry is not tried.
  const isTraced = !isDisabled && (exporter !== undefined || endpoint !== undefined)
  return { isTraced, protocol: protocol ?? 'http/json', ignored }
}

/** A list can name several exporters; `none` counts only alone. */
function exporterFrom(text: string): 'otlp' | 'none' | undefined {
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  if (names.includes('otlp')) return 'otlp'
  return names.length === 1 && names[0] === 'none' ? 'none' : undefined
}

function endpointFrom(text: string): string | undefined {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined
}
