import * as v from 'valibot'
import { databaseUrl, modeAdvice, withPlainMode } from './config/database-url.js'
import { claimName, numberFrom, otlpProtocol, pepper, trustProxy, webUrl, wholeNumber } from './config/values.js'
import type { TrustProxy } from './http/client-address.js'

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The configuration from the environment. */
export interface Config {
  readonly port: number
  readonly host: string
  /** A `postgresql://` URL; absent means the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined
  /** A URL of the same database that bypasses the pooler in `databaseUrl`. */
  readonly databaseDirectUrl: string | undefined
  /** Whether statements are prepared under names. */
  readonly databaseStatementNames: boolean
  /** The URL of a replica of that database, which lists and snapshots may be read from. */
  readonly databaseReplicaUrl: string | undefined
  /** What to fix in these URLs, although they can be used; for the log. */
  readonly databaseAdvice: readonly string[]
  readonly dataDir: string
  /** Connections of one process to the database, at most. */
  readonly databasePoolSize: number
  /** How long a call may wait for one of them, a statement for a lock, and a statement run. */
  readonly databaseWaitSeconds: number
  readonly databaseLockSeconds: number
  readonly databaseStatementSeconds: number
  /** How many calls may wait for a connection, and how long a transaction may wait for its next statement. */
  readonly databaseMaxWaiting: number
  readonly databaseIdleSeconds: number
  /** The proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: TrustProxy
  readonly logLevel: LogLevel
  /** Default: for people on a terminal, otherwise JSON. */
  readonly logFormat: LogFormat | undefined
  /** Base addresses as callers see them, for the documents. */
  readonly publicUrl: string | undefined
  readonly publicUrlEu: string | undefined
  readonly oidc: OidcConfig | undefined
  /** Keys of the HMAC over secrets; `previous` is still accepted while a new one is introduced. */
  readonly secretPepper: { readonly current: string | undefined; readonly previous: string | undefined }
  /** Origins that browsers may call from; `*` means all. */
  readonly corsOrigins: readonly string[]
  readonly maxBodyBytes: number
  /** Connections of callers that one process keeps, at most; absent is as many as the system allows. */
  readonly maxConnections: number | undefined
  /** Calls with a credential that one process runs at a time, at most. */
  readonly maxRunningCalls: number
  /** How long a call may run, whatever deadline its caller sets. */
  readonly maxCallSeconds: number
  /** How long a connection of a caller is kept without a request. */
  readonly idleSeconds: number
  /** How long a caller may take for the header of a request, and for all of it. */
  readonly headerSeconds: number
  readonly requestSeconds: number
  readonly maxHeaderBytes: number
  /** Calls of one connection of HTTP/2 at a time, at most. */
  readonly maxStreams: number
  /** The files of the certificate and its key; absent means cleartext. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Where metrics are served; absent means nowhere. */
  readonly metricsPort: number | undefined
  readonly metricsHost: string
  /** Whether calls are traced; OpenTelemetry's libraries read its other variables themselves. */
  readonly isTraced: boolean
  /** How long connections are still accepted after the service is asked to stop. */
  readonly drainSeconds: number
  /** How long running calls may continue from then on. */
  readonly graceSeconds: number
}

/** The OpenID Connect issuer that is trusted. */
export interface OidcConfig {
  readonly issuer: string
  readonly audience: string
  /** The organization of tokens that name none; default: that of the person's oldest membership. */
  readonly organization: string | undefined
  /** The claims that hold the address, and say whether it is verified. */
  readonly emailClaim: string
  readonly emailVerifiedClaim: string
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Levels of the log. */
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['json', 'pretty'] as const

/** Forms of the log. */
export type LogFormat = (typeof logFormats)[number]

/** A variable with its effective value. */
export interface Setting {
  readonly name: string
  /** As it would be written; secrets are `***`. Absent if there is no default. */
  readonly value: string | undefined
  readonly isDefault: boolean
}

/** The environment cannot be used; the message names every bad variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const environmentSchema = v.object({
  PORT: wholeNumber(0, 65_535, 8080),
  HOST: v.optional(v.string(), '127.0.0.1'),
  DATABASE_URL: v.optional(databaseUrl),
  DATABASE_DIRECT_URL: v.optional(databaseUrl),
  DATABASE_STATEMENT_NAMES: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'on'),
  DATABASE_REPLICA_URL: v.optional(databaseUrl),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000, 10),
  DATABASE_WAIT_SECONDS: wholeNumber(1, 600, 3),
  DATABASE_LOCK_SECONDS: wholeNumber(1, 600, 5),
  DATABASE_STATEMENT_SECONDS: wholeNumber(1, 600, 10),
  DATABASE_MAX_WAITING: wholeNumber(1, 100_000, 1_024),
  DATABASE_IDLE_SECONDS: wholeNumber(1, 3_600, 60),
  SVC_DATA_DIR: v.optional(v.string(), '.svc'),
  TRUST_PROXY: v.optional(trustProxy, ''),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `must be one of ${logLevels.join(', ')}`), 'info'),
  LOG_FORMAT: v.optional(v.picklist(logFormats, `must be one of ${logFormats.join(', ')}`)),
  PUBLIC_URL: v.optional(webUrl),
  PUBLIC_URL_EU: v.optional(webUrl),
  OIDC_ISSUER: v.optional(webUrl),
  OIDC_AUDIENCE: v.optional(v.string()),
  OIDC_ORGANIZATION: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[A-Za-z0-9_.~:-]{1,128}$/, 'must be the id of an organization: 1 to 128 of A-Za-z0-9_.~:-'),
    ),
  ),
  OIDC_EMAIL_CLAIM: v.optional(claimName, 'email'),
  OIDC_EMAIL_VERIFIED_CLAIM: v.optional(claimName, 'email_verified'),
  SVC_SECRET_PEPPER: pepper,
  SVC_SECRET_PEPPER_PREVIOUS: pepper,
  CORS_ORIGINS: v.optional(v.string(), ''),
  SVC_MAX_BODY_BYTES: wholeNumber(1024, 256 * 1024 * 1024, 4 * 1024 * 1024),
  MAX_CONNECTIONS: v.optional(numberFrom(1, 1_000_000)),
  MAX_RUNNING_CALLS: wholeNumber(1, 100_000, 256),
  MAX_CALL_SECONDS: wholeNumber(1, 3_600, 60),
  IDLE_SECONDS: wholeNumber(1, 3_600, 75),
  HEADER_SECONDS: wholeNumber(1, 600, 10),
  REQUEST_SECONDS: wholeNumber(1, 3_600, 60),
  MAX_HEADER_BYTES: wholeNumber(4_096, 1024 * 1024, 32 * 1024),
  MAX_STREAMS: wholeNumber(1, 10_000, 256),
  TLS_CERT: v.optional(v.string()),
  TLS_KEY: v.optional(v.string()),
  METRICS_PORT: v.optional(numberFrom(0, 65_535)),
  METRICS_HOST: v.optional(v.string(), '127.0.0.1'),
  OTEL_SDK_DISABLED: v.optional(v.string()),
  OTEL_TRACES_EXPORTER: v.optional(v.picklist(['otlp', 'none'], 'must be otlp or none')),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(webUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(webUrl),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol,
  DRAIN_SECONDS: wholeNumber(0, 300, 5),
  GRACE_SECONDS: wholeNumber(1, 300, 10),
})

const databaseVariables = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const

/** Variables that mean nothing without another one. */
const dependentVariables = [
  ['OIDC_ORGANIZATION', 'OIDC_ISSUER'],
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_REPLICA_URL', 'DATABASE_URL'],
] as const

/**
 * Reads the configuration. An empty variable counts as unset. Throws a `ConfigError` that names every variable that
 * cannot be used.
 */
export function configFromEnvironment(environment: Environment = process.env): Config {
  const set = setVariables(environment)
  const parsed = v.safeParse(environmentSchema, set, { abortPipeEarly: true })
  const faults = parsed.success ? [] : parsed.issues.map(faultFrom)
  const values = parsed.success ? parsed.output : undefined
  if ((set['OIDC_ISSUER'] === undefined) !== (set['OIDC_AUDIENCE'] === undefined)) {
    faults.push('OIDC_ISSUER and OIDC_AUDIENCE must be set together')
  }
  if ((set['TLS_CERT'] === undefined) !== (set['TLS_KEY'] === undefined)) {
    faults.push('TLS_CERT and TLS_KEY must be set together')
  }
  if (values !== undefined && values.HEADER_SECONDS > values.REQUEST_SECONDS) {
    faults.push('HEADER_SECONDS must not be more than REQUEST_SECONDS: the header is part of the request')
  }
  for (const [name, needed] of dependentVariables) {
    if (set[name] !== undefined && set[needed] === undefined) faults.push(`${name} needs ${needed}`)
  }
  const corsOrigins = (set['CORS_ORIGINS'] ?? '').split(',').flatMap((origin) => origin.trim() || [])
  for (const origin of corsOrigins) {
    if (!isOrigin(origin)) faults.push(`CORS_ORIGINS has ${origin}, which is not an origin such as https://example.com`)
  }
  if (values === undefined || faults.length > 0) throw new ConfigError(`invalid configuration: ${faults.join('; ')}`)
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL && withPlainMode(values.DATABASE_URL),
    databaseDirectUrl: values.DATABASE_DIRECT_URL && withPlainMode(values.DATABASE_DIRECT_URL),
    databaseStatementNames: values.DATABASE_STATEMENT_NAMES === 'on',
    databaseReplicaUrl: values.DATABASE_REPLICA_URL && withPlainMode(values.DATABASE_REPLICA_URL),
    databaseAdvice: databaseVariables.flatMap((name) => modeAdvice(name, values[name]) ?? []),
    dataDir: values.SVC_DATA_DIR,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseWaitSeconds: values.DATABASE_WAIT_SECONDS,
    databaseLockSeconds: values.DATABASE_LOCK_SECONDS,
    databaseStatementSeconds: values.DATABASE_STATEMENT_SECONDS,
    databaseMaxWaiting: values.DATABASE_MAX_WAITING,
    databaseIdleSeconds: values.DATABASE_IDLE_SECONDS,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    publicUrl: values.PUBLIC_URL,
    publicUrlEu: values.PUBLIC_URL_EU,
    oidc: oidcFrom(values),
    secretPepper: { current: values.SVC_SECRET_PEPPER, previous: values.SVC_SECRET_PEPPER_PREVIOUS },
    corsOrigins,
    maxBodyBytes: values.SVC_MAX_BODY_BYTES,
    maxConnections: values.MAX_CONNECTIONS,
    maxRunningCalls: values.MAX_RUNNING_CALLS,
    maxCallSeconds: values.MAX_CALL_SECONDS,
    idleSeconds: values.IDLE_SECONDS,
    headerSeconds: values.HEADER_SECONDS,
    requestSeconds: values.REQUEST_SECONDS,
    maxHeaderBytes: values.MAX_HEADER_BYTES,
    maxStreams: values.MAX_STREAMS,
    tls: tlsFrom(values),
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    isTraced: isTraced(values),
    drainSeconds: values.DRAIN_SECONDS,
    graceSeconds: values.GRACE_SECONDS,
  }
}

/** Every variable with its effective value. Throws as `configFromEnvironment` does. */
export function effectiveSettings(environment: Environment = process.env): Setting[] {
  configFromEnvironment(environment)
  const set = setVariables(environment)
  return Object.entries(environmentSchema.entries).map(([name, { default: otherwise }]) => {
    const given = set[name]
    return { name, value: given === undefined ? otherwise : masked(name, given), isDefault: given === undefined }
  })
}

function setVariables(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  )
}

const MASK = '***'

function masked(name: string, value: string): string {
  if (name.startsWith('SVC_SECRET_')) return MASK
  if (!URL.canParse(value)) return value
  const url = new URL(value)
  const given = url.href
  if (url.password !== '') url.password = MASK
  for (const parameter of ['password', 'sslpassword']) {
    if (url.searchParams.has(parameter)) url.searchParams.set(parameter, MASK)
  }
  return url.href === given ? value : url.href
}

function oidcFrom(values: v.InferOutput<typeof environmentSchema>): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_ORGANIZATION: organization } = values
  const { OIDC_EMAIL_CLAIM: emailClaim, OIDC_EMAIL_VERIFIED_CLAIM: emailVerifiedClaim } = values
  if (issuer === undefined || audience === undefined) return undefined
  return { issuer, audience, organization, emailClaim, emailVerifiedClaim }
}

function tlsFrom({ TLS_CERT: cert, TLS_KEY: key }: v.InferOutput<typeof environmentSchema>): Config['tls'] {
  return cert === undefined || key === undefined ? undefined : { cert, key }
}

/** Off unless a collector is configured: the default address of OpenTelemetry is not tried. */
function isTraced(values: v.InferOutput<typeof environmentSchema>): boolean {
  if (values.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || values.OTEL_TRACES_EXPORTER === 'none') return false
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces } = values
  return values.OTEL_TRACES_EXPORTER !== undefined || all !== undefined || ofTraces !== undefined
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}

function faultFrom(issue: v.BaseIssue<unknown>): string {
  const variable = v.getDotPath(issue) ?? ''
  return issue.message.startsWith(variable) ? issue.message : `${variable} ${issue.message}`
}
