/** What of a sign-in is kept, in memory alone. */
export interface Credential {
  readonly token: string
  /** Gets the next token when this one ends; absent where the person has to. */
  readonly renew?: (() => Promise<Credential>) | undefined
  /** The address of the person whom the issuer has signed in, as it says; absent for a pasted token. */
  readonly holder?: string | undefined
}

/**
 * `ended`: the service refuses a token that it has taken; what is on the screen stays until there is another one.
 * `refused`: it has not taken any since the person signed in.
 */
export type SessionState = 'out' | 'in' | 'ended' | 'refused'

/** The sign-in of this tab. Signing out in one tab of a browser signs out in all. */
export interface Session {
  state(): SessionState
  credential(): Credential | undefined
  signIn(credential: Credential): void
  signOut(): void
  /** The service has taken the token. */
  accepted(): void
  /** The service has refused the token: renews it, which resolves to true, or ends the sign-in where that is impossible. */
  refused(): Promise<boolean>
  /** Calls back after each change of the state, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Creates the session of this tab, signed out. */
export function createSession(): Session {
  let credential: Credential | undefined
  let state: SessionState = 'out'
  let renewal: Promise<boolean> | undefined
  /** Whether the service has taken the credential, and any since somebody signed in here. */
  const taken = { now: false, before: false }
  const listeners = new Set<() => void>()
  const otherTabs = new BroadcastChannel('svc-console')
  const become = (next: SessionState, given: Credential | undefined) => {
    state = next
    credential = given
    for (const listener of listeners) listener()
  }
  const signIn = (given: Credential) => {
    taken.now = false
    become('in', given)
  }
  const renewOrEnd = async () => {
    if (state !== 'in') return false
    const refused = credential
    // Whom the service does not let in is not let in with another token either.
    const next = taken.now ? await refused?.renew?.().catch(() => undefined) : undefined
    // The person may have signed out meanwhile, or in again.
    if (credential !== refused) return false
    if (next === undefined) become(taken.before ? 'ended' : 'refused', refused)
    else signIn(next)
    return next !== undefined
  }
  otherTabs.onmessage = ({ data }) => {
    if (data === 'signed out') become('out', undefined)
  }
  return {
    state: () => state,
    credential: () => credential,
    signIn,
    accepted: () => {
      taken.now = true
      taken.before = true
    },
    signOut: () => {
      taken.before = false
      become('out', undefined)
      otherTabs.postMessage('signed out')
    },
    refused: () => {
      renewal ??= renewOrEnd().finally(() => {
        renewal = undefined
      })
      return renewal
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** How long the part of a token behind its prefix can be: 32 bytes, and 16 sealed with up to 128 in blocks of 16. */
const bodyLengths = Array.from({ length: 8 }, (_, block) => 43 + Math.ceil(((block + 2) * 16 * 4) / 3))

/** A token in pasted text, or what is wrong with it, as far as that can be seen without the service. */
export interface PastedToken {
  readonly token?: string
  readonly fault?: string
}

/**
 * Reads pasted text: a token, maybe broken into lines, in quotation marks or behind `Bearer`. The service says of a token
 * that it refuses neither whether there ever was one nor whether it has ended; a JWT says when it ends.
 */
export function readToken(text: string, now = Date.now()): PastedToken {
  const token = text.replaceAll(/\s+|["'`]/g, '').replace(/^(?:Authorization:)?Bearer/i, '')
  if (/^svc_secret_/.test(token)) return { fault: 'This is the secret of an API key, with which nobody signs in here.' }
  const [, body] = /^svc_(?:user|token)_(.*)$/.exec(token) ?? []
  if (body !== undefined) {
    if (/[^\w-]/.test(body)) return { fault: 'This has characters that no token has: copy it once more.' }
    const missing = bodyLengths.find((length) => length >= body.length) !== body.length
    return missing ? { fault: 'A part of this token is missing, or something was added: copy all of it.' } : { token }
  }
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    return { fault: 'A token begins with svc_user_ or svc_token_, or is a JWT.' }
  const { exp } = claimsOf(token)
  if (typeof exp === 'number' && exp * 1000 < now) return { fault: 'This token has ended: get a new one.' }
  return { token }
}

/** The claims of a JWT; none for another token. Nothing is verified: the service does that. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0))
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

/** Takes the token out of the fragment of the address, so that it is neither seen there nor kept in the history. */
export function takeTokenFromAddress(): PastedToken {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return {}
  history.replaceState(null, '', location.pathname + location.search)
  return readToken(given)
}
