import { createContext, use, useSyncExternalStore } from 'react'
import type { OidcSignIn } from './oidc.js'
import type { Session, SessionState } from './session.js'

/** What a screen can do about the sign-in. */
export interface SignIn {
  readonly session: Session
  /** Absent: people paste a token. */
  readonly oidc: OidcSignIn | undefined
  /** The address of the service. */
  readonly serviceUrl: string
  /** The name of the issuer's host. */
  readonly issuer: string | undefined
  /** Why the last sign-in came to nothing. */
  readonly failure: string | undefined
}

/** The sign-in of this tab, given by the first component. */
export const SignInContext = createContext<SignIn | undefined>(undefined)

/** The sign-in of this tab. Throws outside `SignInContext`. */
export function useSignIn(): SignIn {
  const signIn = use(SignInContext)
  if (signIn === undefined) throw new Error('no SignInContext is above this component')
  return signIn
}

/** Whether somebody is signed in, as that changes. */
export function useSessionState(): SessionState {
  const { session } = useSignIn()
  return useSyncExternalStore(session.subscribe, session.state)
}

/** The address of the service, without a slash at the end. */
export function useServiceUrl(): string {
  return useSignIn().serviceUrl
}
