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

const TOKEN = /^(?:svc_(?:user|token)_[\w-]+|[\w-]+\.[\w-]+\.[\w-]+)$/

/** The token in pasted text, which may begin with `Bearer`; undefined for what cannot be one. */
export function tokenFrom(text: string): string | undefined {
  const token = text.trim().replace(/^Bearer\s+/i, '')
  return TOKEN.test(token) ? token : undefined
}

/** Takes the token out of the fragment of the address, so that it is neither seen there nor kept in the history. */
export function takeTokenFromAddress(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  return tokenFrom(given)
}
