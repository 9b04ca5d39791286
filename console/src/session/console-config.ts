/** How people sign in with an OpenID Connect issuer. */
export interface SignInConfig {
  readonly issuer: string
  /** Whom the token that calls carry must be for. */
  readonly audience: string
  readonly clientId: string
  readonly scopes: string
}

/** What the deployment configures its console with. */
export interface ConsoleConfig {
  /** The path of the console; the service is above it. */
  readonly basePath: string
  /** Absent: people paste a token. */
  readonly signIn?: SignInConfig
}

/** Reads `config.json`, which is beside the folder that this script comes from. Throws if it cannot be read. */
export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch(new URL('../config.json', import.meta.url))
  if (!response.ok) throw new Error(`the console cannot read its configuration: HTTP ${response.status}`)
  return response.json()
}
