import { getOption } from '@bufbuild/protobuf'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { access } from '../../gen/svc/v2/access_pb.js'
import type { ClientTiming } from './timing.js'

/** Where access tokens come from. */
export interface AccessTokens {
  /** A token that is valid for a while. Callers that ask at the same time share one. */
  get(): Promise<string>
  /** Reports that a token was refused; returns whether the next `get` can give another one. */
  refused(token: string): boolean
}

/** A token and how long it lasts. */
export interface FetchedToken {
  readonly token: string
  readonly expiresInSeconds: number
}

/** A token is replaced this long before it expires, so that it does not expire during a call. */
const MARGIN_MILLIS = 60_000

/** Tokens that are fetched, kept and replaced in time. A failed fetch is not kept. */
export function createFetchedTokens(fetchToken: () => Promise<FetchedToken>, timing: ClientTiming): AccessTokens {
  let cached: { readonly token: string; readonly goodUntil: number } | undefined
  let fetching: Promise<string> | undefined
  const fetchNew = async (): Promise<string> => {
    const start = timing.now()
    const { token, expiresInSeconds } = await fetchToken()
    const lifetime = expiresInSeconds * 1000
    cached = { token, goodUntil: start + lifetime - Math.min(MARGIN_MILLIS, lifetime / 2) }
    return token
  }
  return {
    get: async () => {
      if (cached !== undefined && timing.now() < cached.goodUntil) return cached.token
      fetching ??= fetchNew().finally(() => {
        fetching = undefined
      })
      return await fetching
    },
    refused: (token) => {
      if (cached?.token === token) cached = undefined
      return true
    },
  }
}

/** Tokens that the caller provides. A string cannot be replaced; a function is called for every call. */
export function createGivenTokens(token: string | (() => string | Promise<string>)): AccessTokens {
  return {
    get: async () => (typeof token === 'string' ? token : await token()),
    refused: () => typeof token !== 'string',
  }
}

/**
 * Sends a token with every call that needs one. A unary call whose token is refused is repeated once with another one,
 * because the service refuses it before doing anything.
 */
export function createAuthorization(tokens: AccessTokens): Interceptor {
  return (next) => async (request) => {
    if (getOption(request.method, access).anonymous) return await next(request)
    const token = await tokens.get()
    request.header.set('authorization', `Bearer ${token}`)
    try {
      return await next(request)
    } catch (error) {
      const refused = error instanceof ConnectError && error.code === Code.Unauthenticated
      if (!refused || request.stream || !tokens.refused(token)) throw error
      request.header.set('authorization', `Bearer ${await tokens.get()}`)
      return await next(request)
    }
  }
}
