import { encodeEnvelope } from '@connectrpc/connect/protocol'

/** A protocol of the service, with one form of its messages. */
export interface Protocol {
  readonly name: string
  readonly isRest: boolean
  readonly form: 'json' | 'binary'
  readonly contentType: string
  /** Whether messages travel in envelopes. */
  readonly enveloped: boolean
  /** The header that names the compression. */
  readonly codingHeader: string
  /** The header for a deadline in milliseconds. */
  deadline(millis: number): Readonly<Record<string, string>>
  readonly versions: readonly HttpVersion[]
}

/** How requests are transported. */
export type HttpVersion = 'HTTP/1.1' | 'HTTP/2'

const unary = {
  enveloped: false,
  codingHeader: 'content-encoding',
  deadline: (millis: number) => ({ 'connect-timeout-ms': String(millis) }),
  versions: ['HTTP/1.1', 'HTTP/2'],
} as const
const enveloped = {
  isRest: false,
  enveloped: true,
  codingHeader: 'grpc-encoding',
  deadline: (millis: number) => ({ 'grpc-timeout': `${millis}m` }),
} as const

/** Every protocol; only gRPC needs HTTP/2. */
export const protocols: readonly Protocol[] = [
  { ...unary, name: 'REST', isRest: true, form: 'json', contentType: 'application/json' },
  { ...unary, name: 'Connect JSON', isRest: false, form: 'json', contentType: 'application/json' },
  { ...unary, name: 'Connect', isRest: false, form: 'binary', contentType: 'application/proto' },
  { ...enveloped, name: 'gRPC', form: 'binary', contentType: 'application/grpc', versions: ['HTTP/2'] },
  {
    ...enveloped,
    name: 'gRPC-Web',
    form: 'binary',
    contentType: 'application/grpc-web+proto',
    versions: ['HTTP/1.1', 'HTTP/2'],
  },
]

/** A method, as REST and as RPC name it. */
export interface Target {
  readonly path: string
  readonly procedure: string
  /** What REST takes instead of JSON. */
  readonly restType?: string
}

const form = 'application/x-www-form-urlencoded'
/** The methods that need no credential. */
export const anonymousTargets: readonly Target[] = [
  { path: '/v2/auth/token', procedure: '/svc.v2.AuthService/CreateToken', restType: form },
  { path: '/v2/auth/revoke', procedure: '/svc.v2.AuthService/RevokeLeakedKey', restType: form },
]
/** A method that needs a credential, and accepts large messages. */
export const ingestion: Target = {
  path: '/v2/user-ingestion/profiles',
  procedure: '/svc.v2.UserIngestionService/IngestUserProfiles',
}
/** A method that does not exist. */
export const unknownTarget: Target = { path: '/v2/nothing', procedure: '/svc.v2.NothingService/GetNothing' }

/** A POST of bytes. */
export interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** How a request is made. */
export interface RequestOptions {
  readonly token?: string
  /** Whether the message is compressed with gzip. */
  readonly isGzip?: boolean
  readonly deadlineMillis?: number
}

/** Calls a method through a protocol, whatever the message. */
export function requestThrough(
  protocol: Protocol,
  target: Target,
  message: Uint8Array,
  options: RequestOptions = {},
): Request {
  const { token, isGzip = false, deadlineMillis } = options
  return {
    path: protocol.isRest ? target.path : target.procedure,
    headers: {
      'content-type': (protocol.isRest ? target.restType : undefined) ?? protocol.contentType,
      ...(protocol.contentType.startsWith('application/grpc') && { te: 'trailers' }),
      ...(protocol.name.startsWith('Connect') && { 'connect-protocol-version': '1' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(isGzip && { [protocol.codingHeader]: 'gzip' }),
      ...(deadlineMillis !== undefined && protocol.deadline(deadlineMillis)),
    },
    body: protocol.enveloped ? encodeEnvelope(isGzip ? 1 : 0, message) : message,
  }
}
