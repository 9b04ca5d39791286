import { CredentialKind } from '../../gen/svc/v2/access_pb.js'

/** The kinds of credential in the order of documents, in words. */
export const credentialKinds: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.ORGANIZATION_API_KEY, 'organization API keys'],
  [CredentialKind.TEAM_API_KEY, 'team API keys'],
  [CredentialKind.USER_TOKEN, 'user tokens'],
  [CredentialKind.WORKER_TOKEN, 'worker tokens'],
])

/** The kinds in words, in the order of documents. */
export function credentialKindTexts(kinds: readonly CredentialKind[]): string[] {
  return [...credentialKinds].flatMap(([kind, text]) => (kinds.includes(kind) ? [text] : []))
}
