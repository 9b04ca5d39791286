import { z } from 'zod'
import { parseTrustProxy, type TrustProxy } from './http/client-address.js'

/** What the environment decides. */
export interface Config {
  readonly port: number
  readonly host: string
  /** A `postgresql://` URL; absent is the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustProxy: TrustProxy
  readonly logLevel: LogLevel
  /** Absent: for people on a terminal, JSON elsewhere. */
  readonly logFormat: LogFormat | undefined
  /** Base addresses as callers see them, for documents. */
  readonly publicUrl: string | undefined
  readonly publicUrlEu: string | undefined
  readonly oidc: OidcConfig | undefined
  /** Keys of the HMAC over secrets; `previous` is still accepted while a new one comes into use. */
  readonly secretPepper: { readonly current: string | undefined; readonly previous: string | undefined }
  /** Origins that browsers may call from; `*` is all. */
  readonly corsOrigins: readonly string[]
  readonly maxBodyBytes: number
  /** How long connections are still taken when the service is asked to stop. */
  readonly drainSeconds: number
}

/** The OpenID Connect issuer that is trusted. */
export interface OidcConfig {
  readonly issuer: string
  readonly audience: string
  /** The organization of tokens that name none; absent is the oldest membership of the person. */
  readonly organization: string | undefined
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Levels of the log. */
export type LogLevel = (typeof logLevels)[number]

const logFormats = ['json', 'pretty'] as const

/** Forms of the log. */
export type LogFormat = (typeof logFormats)[number]

/** The environment cannot be used; the message names every bad variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

/** Digits alone: `0x50`, `1e3` and blanks are mistakes. */
const wholeNumber = (min: number, max: number, otherwise: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^[0-9]+$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
    .default(otherwise)
}

const trustProxyFrom = (text: string, context: z.RefinementCtx): TrustProxy => {
  try {
    return parseTrustProxy(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'cannot be read' })
    return z.NEVER
  }
}

const environmentSchema = z.object({
  PORT: wholeNumber(0, 65_535, 8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql URL' }).optional(),
  SVC_DATA_DIR: z.string().min(1).default('.svc'),
  TRUST_PROXY: z.string().default('').transform(trustProxyFrom),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  LOG_FORMAT: z.enum(logFormats, `must be one of ${logFormats.join(', ')}`).optional(),
  PUBLIC_URL: webUrl.optional(),
  PUBLIC_URL_EU: webUrl.optional(),
  OIDC_ISSUER: webUrl.optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_ORGANIZATION: z
    .string()
    .regex(/^[A-Za-z0-9_.~:-]{1,128}$/, 'must be the id of an organization: 1 to 128 of A-Za-z0-9_.~:-')
    .optional(),
  SVC_SECRET_PEPPER: z.string().min(16, 'must have at least 16 characters').optional(),
  SVC_SECRET_PEPPER_PREVIOUS: z.string().min(16, 'must have at least 16 characters').optional(),
  CORS_ORIGINS: z.string().default(''),
  SVC_MAX_BODY_BYTES: wholeNumber(1024, 256 * 1024 * 1024, 4 * 1024 * 1024),
  DRAIN_SECONDS: wholeNumber(0, 300, 5),
})

/**
 * Reads the configuration. An empty variable counts as unset. Throws a `ConfigError` that names every variable that
 * cannot be used.
 */
export function configFromEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environmentSchema.safeParse(set)
  const faults = parsed.success ? [] : parsed.error.issues.map(faultFrom)
  const values = parsed.success ? parsed.data : undefined
  if ((values?.OIDC_ISSUER === undefined) !== (values?.OIDC_AUDIENCE === undefined)) {
    faults.push('OIDC_ISSUER and OIDC_AUDIENCE must be set together')
  }
  if (values?.OIDC_ORGANIZATION !== undefined && values.OIDC_ISSUER === undefined) {
    faults.push('OIDC_ORGANIZATION needs OIDC_ISSUER')
  }
  const corsOrigins = (values?.CORS_ORIGINS ?? '').split(',').flatMap((origin) => origin.trim() || [])
  for (const origin of corsOrigins) {
    if (!isOrigin(origin)) faults.push(`CORS_ORIGINS has ${origin}, which is not an origin such as https://example.com`)
  }
  if (values === undefined || faults.length > 0) throw new ConfigError(`bad configuration: ${faults.join('; ')}`)
  return {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL,
    dataDir: values.SVC_DATA_DIR,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    publicUrl: values.PUBLIC_URL,
    publicUrlEu: values.PUBLIC_URL_EU,
    oidc: oidcFrom(values),
    secretPepper: { current: values.SVC_SECRET_PEPPER, previous: values.SVC_SECRET_PEPPER_PREVIOUS },
    corsOrigins,
    maxBodyBytes: values.SVC_MAX_BODY_BYTES,
    drainSeconds: values.DRAIN_SECONDS,
  }
}

function oidcFrom(values: z.output<typeof environmentSchema>): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_ORGANIZATION: organization } = values
  return issuer === undefined || audience === undefined ? undefined : { issuer, audience, organization }
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}

function faultFrom({ path, message }: z.core.$ZodIssue): string {
  const variable = path.join('.')
  return message.startsWith(variable) ? message : `${variable} ${message}`
}
