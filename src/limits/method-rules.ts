import { create, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { type AccessRule, access, CredentialKind } from '../../gen/svc/v2/access_pb.js'
import { entity_tags, type HttpForm, HttpFormSchema, http_form } from '../../gen/svc/v2/http_form_pb.js'

// Rules of methods, from the options of the method or of its service. Reading an option decodes it anew, in about 8 us,
// so that no call should do it.

export function onlyReads({ idempotency }: DescMethod): boolean {
  return idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

/** Who may call a method; nobody if it does not say so. A rule that names no kinds of credential has all of them. */
export function accessRuleOf(method: DescMethod): AccessRule {
  const rule = getOption(method, access)
  if (hasOption(method, access) && !rule.anonymous && rule.credentialKinds.length === 0) {
    rule.credentialKinds = [...credentialNames.keys()]
  }
  return rule
}

/** The kinds of credential in the order of documents, in words. */
export const credentialNames: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.ORGANIZATION_API_KEY, 'organization API keys'],
  [CredentialKind.TEAM_API_KEY, 'team API keys'],
  [CredentialKind.USER_TOKEN, 'user tokens'],
  [CredentialKind.WORKER_TOKEN, 'worker tokens'],
])

/** Whether a method accepts an `Idempotency-Key`: it writes, and requires a credential. */
export function takesIdempotencyKey(method: DescMethod): boolean {
  return !onlyReads(method) && !accessRuleOf(method).anonymous
}

/** How a method travels over plain HTTP; the defaults if nothing is declared. */
export function httpFormOf(method: DescMethod): HttpForm {
  if (hasOption(method, http_form) || !getOption(method.parent, entity_tags)) return getOption(method, http_form)
  const [, verb = ''] = /^(Get|Create|Update|Delete)[A-Z]/.exec(method.name) ?? []
  const ifMatch = verb === 'Update' || verb === 'Delete'
  return create(HttpFormSchema, { ifMatch, entityTag: verb !== '' && verb !== 'Delete' })
}
