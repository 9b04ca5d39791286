import type { DescMethod } from '@bufbuild/protobuf'
import type { ConnectError, ConnectRouter } from '@connectrpc/connect'
import type { BodyType } from '../call/content-type.js'
import type { EncodedBody } from '../call/error-body.js'
import type { NodeHandler } from '../call/node-http.js'
import type { CallHooks } from '../call/serve-call.js'
import type { FieldHint, IgnoredField } from '../protojson/json-message.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import type { ParameterRules } from './parameter-binder.js'

/** What forms may contain besides the fields of a request. */
export type FormRules = Partial<Pick<ParameterRules, 'ignoreUnknown' | 'mergeEqual' | 'anyText'>>

/** The fields, both strings, by which a stream is resumed. */
export interface EventIdFields {
  readonly id: string
  readonly lastId: string
}

/** Declared as a method, so that the handler of a framework that knows HTTP/1.1 alone fits too. */
type FallbackHandler = { handle(...given: Parameters<NodeHandler>): void }['handle']

/** The options of `createRestTranscoder`. Only `routes` is required; every default is the safe one. */
export interface RestTranscoderOptions extends CallHooks {
  /** Registers services, as for `connectNodeAdapter`. */
  readonly routes: (router: ConnectRouter) => unknown
  /** Handles every request whose path no route has; default: answer 404. */
  readonly fallback?: FallbackHandler | undefined
  /**
   * What to do with query and form names that bind nothing, because no field has the name, or because the path or the
   * body binds it: refuse (default) or ignore. A bad value of a name that does bind is refused either way.
   */
  readonly unknownQuery?: 'reject' | 'ignore' | undefined
  /** Query names that are always ignored, such as `$alt`, `alt`, `key`, `prettyPrint`; default none. */
  readonly systemParameters?: readonly string[] | undefined
  /**
   * The body of an error: `{code, message, detail}` (default), `google.rpc.Status`, or a function that returns another
   * body, or undefined for the default one. `method` is undefined if no route was matched.
   */
  readonly errorBody?:
    | 'connect'
    | 'status'
    | ((error: ConnectError, context: { readonly method: DescMethod | undefined }) => EncodedBody | undefined)
    | undefined
  /** Adds to a public error before it is sent, such as a detail with a reason of the API's own. */
  readonly completeError?: ((error: ConnectError, status: number) => void) | undefined
  /**
   * Whether methods without a rule are mounted as `POST /package.Service/Method` with the body `*`; default false.
   * Requests there in an RPC protocol go to `fallback`, if there is one.
   */
  readonly defaultBindings?: boolean | undefined
  /**
   * How JSON is read and printed. The types of all mounted services, and the well-known ones, are known for `Any`
   * without a registry.
   */
  readonly jsonOptions?: JsonOptions | undefined
  /** The limit of a request body in bytes, before and after decompression; default 4 MiB. */
  readonly maxBodyBytes?: number | ((method: DescMethod) => number) | undefined
  /**
   * The most values that one request can contain: keys of objects and items of lists in JSON, pairs in forms and
   * queries; default 25,000. More is `invalid_argument`.
   */
  readonly maxValues?: number | ((method: DescMethod) => number) | undefined
  /**
   * How deep objects and lists may nest in JSON where no schema limits it (Struct, Value, ListValue, Any); default 32.
   * Deeper is `invalid_argument`.
   */
  readonly maxFreeDepth?: number | undefined
  /** What to do instead of giving a field that a request does not have, in words of the API; default nothing. */
  readonly fieldHint?: FieldHint | undefined
  /** Which names JSON may give that a request does not have, and that are ignored; default none. */
  readonly ignoredFields?: ((method: DescMethod) => IgnoredField) | undefined
  /** The body types that a method accepts; 415 otherwise. Default JSON, JSON lines for lists, and forms. */
  readonly requestTypes?: ((method: DescMethod) => readonly BodyType[]) | undefined
  /** What the forms of a method may contain besides its fields; default: nothing. */
  readonly formRules?: ((method: DescMethod) => FormRules) | undefined
  /** Whether a method answers 200 with an empty body instead of JSON; default never. */
  readonly emptyResponse?: ((method: DescMethod) => boolean) | undefined
  /** The longest deadline in milliseconds, to which longer ones are shortened; default none. */
  readonly maxTimeoutMs?: number | undefined
  /**
   * Which methods have streams of Server-Sent Events that are resumed: `id` names the field of messages that is the id of
   * an event, `lastId` the one of requests that the `Last-Event-ID` of a client replaces; default none.
   */
  readonly eventIds?: ((method: DescMethod) => EventIdFields | undefined) | undefined
  /** Whether `%2F` in a capture of several segments is decoded too; default false, as http.proto says. */
  readonly fullyDecodeReservedExpansion?: boolean | undefined
}

/** The default limit of a request body: 4 MiB. */
export const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
