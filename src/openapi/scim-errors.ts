import type { JsonObject } from '@bufbuild/protobuf'
import { challenge, retryAfter } from './error-responses.js'
import type { OperationAnswers } from './example-answers.js'

interface ErrorStatus {
  readonly description: string
  readonly headers?: JsonObject
}

/** The errors of SCIM by status. */
const errorStatuses: Readonly<Record<string, ErrorStatus>> = {
  '400': { description: 'The request cannot be read, or breaks a rule; `scimType` says which.' },
  '401': {
    description: 'The credential is missing, revoked, expired, or no management key.',
    headers: { 'WWW-Authenticate': { ...challenge, required: true } },
  },
  '403': {
    description: 'This kind of credential is not accepted, or documents that describe the service are filtered.',
    headers: { 'WWW-Authenticate': challenge },
  },
  '404': { description: 'There is no such resource, or the provider has deleted it.' },
  '409': { description: 'Another resource has the value, or the group approves something; the detail says which.' },
  '412': { description: 'The resource is in another version than `If-Match` says.' },
  '413': { description: 'The body is too large.' },
  '415': { description: 'The content type or content coding of the body is not supported.' },
  '503': {
    description: 'The service cannot answer now; try again after a short delay.',
    headers: { 'Retry-After': retryAfter },
  },
}

/** The error answers of an operation, each as the service answered it; the default covers all others. */
export function scimErrors(answers: OperationAnswers | undefined, media: (schema: string) => JsonObject): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byType]) => {
    const known = errorStatuses[status]
    if (known === undefined) throw new Error(`the document of SCIM has no place for errors of the status ${status}`)
    const [[type, content] = ['', {}]] = Object.entries(media('Error'))
    const examples = Object.fromEntries(Object.entries(byType).map(([name, value]) => [name, { value }]))
    return [status, { ...known, content: { [type]: Object.assign({}, content, { examples }) } }]
  })
  return { ...Object.fromEntries(responses), default: { description: 'Any other failure.', content: media('Error') } }
}
