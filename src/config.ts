import * as v from 'valibot'
import { databaseUrl, encodedCredentials, modeAdvice } from './config/database-url.js'
import { telemetryVariables, traceSettings } from './config/telemetry.js'
import {
  claimName,
  days,
  numberFrom,
  oidcScopes,
  onOrOff,
  origins,
  pepper,
  sealKey,
  trustProxy,
  webhookAllowance,
  webUrl,
  wholeNumber,
} from './config/variable-values.js'
import { MASK, withoutPasswords } from './http/password-masking.js'

export type Environment = Readonly<Record<string, string | undefined>>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Every variable that is read, as docs/operating.md explains them. */
const variables = v.object({
  PORT: wholeNumber(0, 65_535, 8080),
  HOST: v.optional(v.string(), '127.0.0.1'),
  /** Absent is the embedded database in the data directory. */
  DATABASE_URL: v.optional(databaseUrl),
  /** The same database, bypassing the pooler in the URL before. */
  DATABASE_DIRECT_URL: v.optional(databaseUrl),
  /** Whether statements are prepared under names. */
  DATABASE_STATEMENT_NAMES: onOrOff('on'),
  /** A replica of the database, which lists and snapshots may be read from. */
  DATABASE_REPLICA_URL: v.optional(databaseUrl),
  /** Connections of one process to the database, at most. */
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000, 10),
  /** How long a call may wait for one of them, a statement for a lock, and a statement run. */
  DATABASE_WAIT_SECONDS: wholeNumber(1, 600, 3),
  DATABASE_LOCK_SECONDS: wholeNumber(1, 600, 5),
  DATABASE_STATEMENT_SECONDS: wholeNumber(1, 600, 10),
  /** How many calls may wait for a connection, and how long a transaction may wait for its next statement. */
  DATABASE_MAX_WAITING: wholeNumber(1, 100_000, 1_024),
  DATABASE_IDLE_SECONDS: wholeNumber(1, 3_600, 60),
  /** How many days events are kept in the feed, and in the audit log; absent is for ever. */
  EVENT_RETENTION: v.optional(days, '90d'),
  AUDIT_RETENTION: v.optional(days),
  SVC_DATA_DIR: v.optional(v.string(), '.svc'),
  /** The proxies whose `X-Forwarded-For` is trusted. */
  TRUST_PROXY: v.optional(trustProxy, ''),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `must be one of ${logLevels.join(', ')}`), 'info'),
  /** Default: for people on a terminal, otherwise JSON. */
  LOG_FORMAT: v.optional(v.picklist(['json', 'pretty'], 'must be one of json, pretty')),
  /** Base addresses as callers see them, for the documents. */
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
  /** Whether the console is served. */
  CONSOLE: onOrOff('on'),
  /** The client of the issuer as which the console signs people in, and the scopes that it asks for. */
  CONSOLE_OIDC_CLIENT_ID: v.optional(v.string()),
  CONSOLE_OIDC_SCOPES: v.optional(oidcScopes, 'openid email'),
  /** Keys of the HMAC over secrets; the previous one is still accepted while a new one is introduced. */
  SVC_SECRET_PEPPER: pepper,
  SVC_SECRET_PEPPER_PREVIOUS: pepper,
  /** Keys that seal the secrets of webhooks; the previous one still opens what it has sealed. */
  SVC_SEAL_KEY: sealKey,
  SVC_SEAL_KEY_PREVIOUS: sealKey,
  /** Where webhooks may go besides port 443 of public addresses. */
  WEBHOOK_ALLOW: v.optional(webhookAllowance, ''),
  /** The egress proxy of webhooks. */
  WEBHOOK_PROXY: v.optional(v.pipe(v.string(), encodedCredentials, webUrl)),
  /** Origins that browsers may call from; `*` means all. */
  CORS_ORIGINS: v.optional(origins, ''),
  SVC_MAX_BODY_BYTES: wholeNumber(1024, 256 * 1024 * 1024, 4 * 1024 * 1024),
  /** Connections of callers that one process keeps, at most; absent is as many as the system allows. */
  MAX_CONNECTIONS: v.optional(numberFrom(1, 1_000_000)),
  /** Calls with a credential that one process runs at a time, at most. */
  MAX_RUNNING_CALLS: wholeNumber(1, 100_000, 256),
  /** How long a call may run, whatever deadline its caller sets. */
  MAX_CALL_SECONDS: wholeNumber(1, 3_600, 60),
  /** How long a connection of a caller is kept without a request: longer than load balancers keep theirs. */
  IDLE_SECONDS: wholeNumber(1, 3_600, 75),
  /** How long a caller may take for the header of a request, and for all of it. */
  HEADER_SECONDS: wholeNumber(1, 600, 10),
  REQUEST_SECONDS: wholeNumber(1, 3_600, 60),
  MAX_HEADER_BYTES: wholeNumber(4_096, 1024 * 1024, 32 * 1024),
  /** Calls of one connection of HTTP/2 at a time, at most. */
  MAX_STREAMS: wholeNumber(1, 10_000, 256),
  /** The files of the certificate and its key; absent means cleartext. */
  TLS_CERT: v.optional(v.string()),
  TLS_KEY: v.optional(v.string()),
  /** Where metrics are served; absent means nowhere. */
  METRICS_PORT: v.optional(numberFrom(0, 65_535)),
  METRICS_HOST: v.optional(v.string(), '127.0.0.1'),
  ...telemetryVariables,
  /** How long connections are still accepted after the service is asked to stop. */
  DRAIN_SECONDS: wholeNumber(0, 300, 5),
  /** How long running calls may continue from then on. */
  GRACE_SECONDS: wholeNumber(1, 300, 10),
})

/** Variables that mean nothing without another one. */
const dependentVariables = [
  ['OIDC_ORGANIZATION', 'OIDC_ISSUER'],
  ['CONSOLE_OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_REPLICA_URL', 'DATABASE_URL'],
  ['SVC_SEAL_KEY_PREVIOUS', 'SVC_SEAL_KEY'],
] as const

/** Variables of which both are set, or neither. */
const pairedVariables = [
  ['OIDC_ISSUER', 'OIDC_AUDIENCE'],
  ['TLS_CERT', 'TLS_KEY'],
] as const

type Values = v.InferOutput<typeof variables>

/** The name of a variable in the configuration: `DATABASE_URL` is `databaseUrl`, and `SVC_DATA_DIR` is `dataDir`. */
type CamelCase<Name extends string> = Name extends `SVC_${infer Rest}`
  ? CamelCase<Rest>
  : Name extends `${infer Word}_${infer Rest}`
    ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
    : Lowercase<Name>

/** The configuration: the value of each variable, and what several of them say together. */
export type Config = Readonly<ReturnType<typeof configFromEnvironment>>

/** The environment cannot be used; the message names every bad variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. An empty variable counts as unset. Throws a `ConfigError` that names every variable that
 * cannot be used.
 */
export function configFromEnvironment(environment: Environment = process.env) {
  const set: Environment = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = v.safeParse(variables, set, { abortPipeEarly: true })
  const faults = parsed.success ? [] : parsed.issues.map((issue) => faultFrom(issue, set))
  for (const [one, other] of pairedVariables) {
    if ((set[one] === undefined) !== (set[other] === undefined)) faults.push(`${one} and ${other} must be set together`)
  }
  for (const [name, needed] of dependentVariables) {
    if (set[name] !== undefined && set[needed] === undefined) faults.push(`${name} needs ${needed}`)
  }
  if (parsed.success && parsed.output.HEADER_SECONDS > parsed.output.REQUEST_SECONDS) {
    faults.push('HEADER_SECONDS must not be more than REQUEST_SECONDS: the header is part of the request')
  }
  if (parsed.success && (parsed.output.AUDIT_RETENTION ?? Number.POSITIVE_INFINITY) < parsed.output.EVENT_RETENTION) {
    faults.push('AUDIT_RETENTION must not be less than EVENT_RETENTION: the feed reads its events from the audit log')
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError(`invalid configuration: ${faults.join('; ')}`)
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, TLS_CERT: cert, TLS_KEY: key, ...values } = parsed.output
  const traces = traceSettings(values)
  const { OIDC_ORGANIZATION: organization } = values
  const { OIDC_EMAIL_CLAIM: emailClaim, OIDC_EMAIL_VERIFIED_CLAIM: emailVerifiedClaim } = values
  return {
    ...inCamelCase(parsed.output),
    /**
     * The OpenID Connect issuer that is trusted, the organization of tokens that name none (by default the
     * only one where the person is active), and the claims for the address and for whether it is verified.
     */
    oidc: issuer && audience ? { issuer, audience, organization, emailClaim, emailVerifiedClaim } : undefined,
    tls: cert && key ? { cert, key } : undefined,
    sealKeys: { current: values.SVC_SEAL_KEY, previous: values.SVC_SEAL_KEY_PREVIOUS },
    peppers: { current: values.SVC_SECRET_PEPPER, previous: values.SVC_SECRET_PEPPER_PREVIOUS },
    isTraced: traces.isTraced,
    traceProtocol: traces.protocol,
    /** What to fix, although the service can run with it; for the log. */
    advice: [
      ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'].flatMap(
        (name) => modeAdvice(name, set[name]) ?? [],
      ),
      ...traces.ignored,
    ],
    /** Every variable as it would be written, secrets as `***`; without a value if there is no default. */
    settings: Object.entries(variables.entries).map(([name, { default: otherwise }]) => {
      const given = set[name]
      if (given === undefined) return { name, value: otherwise, isDefault: true }
      const isSecret = /^SVC_(SECRET|SEAL)_/.test(name)
      return { name, value: isSecret ? MASK : withoutPasswords(given), isDefault: false }
    }),
  }
}

function inCamelCase(values: Values) {
  const nameOf = (variable: string) =>
    variable
      .replace(/^SVC_/, '')
      .toLowerCase()
      .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const entries = Object.entries(values).map(([variable, value]) => [nameOf(variable), value])
  return Object.fromEntries(entries) as { [Name in keyof Values as CamelCase<Name>]: Values[Name] }
}

function faultFrom(issue: v.BaseIssue<unknown>, set: Environment): string {
  const variable = v.getDotPath(issue) ?? ''
  const fault = issue.message.startsWith(variable) ? issue.message : `${variable} ${issue.message}`
  if (!/^(?:tcp|udp|sctp):\/\//.test(set[variable] ?? '')) return fault
  return `${fault} (a Service of Kubernetes seems to have set it: set enableServiceLinks to false in the pod)`
}
