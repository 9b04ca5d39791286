/** What a token of the OpenID Connect issuer says about its holder. */
export interface OidcIdentity {
  /** The verified address. */
  readonly email: string
  /** The organization that the token names, where it names one. */
  readonly organizationId: string | undefined
}

/** Verifies a token of the issuer; undefined where it is not accepted. */
export type OidcVerifier = (token: string) => Promise<OidcIdentity | undefined>
