import type { JsonObject } from '@bufbuild/protobuf'
import type { OperationAnswers } from './example-answers.js'
import { fragments } from './fragments.js'

const { challenge, retryAfter } = fragments

interface ErrorStatus {
  readonly description: string
  readonly headers?: JsonObject
}

/** The SCIM errors by status. */
const errorStatuses: Readonly<Record<string, ErrorStatus>> = {
  '400': { description: 'The request is malformed or invalid; `scimType` says why.' },
  '401': {
    description: 'The credential is missing, revoked or expired, or is not a management key.',
    headers: { 'WWW-Authenticate': { ...challenge, required: true } },
  },
  '403': {
    description: 'This kind of credential is not accepted, or the request filters a discovery endpoint.',
    headers: { 'WWW-Authenticate': challenge },
  },
  '404': { description: 'The resource does not exist, or the provider deleted it.' },
  '409': {
    description: 'Another resource already has the value, or an approval procedure uses the group; see the detail.',
  },
  '412': { description: 'The version of the resource does not match `If-Match`.' },
  '413': { description: 'The body is too large.' },
  '415': { description: 'The content type or content coding of the body is not supported.' },
  '503': {
    description: 'The service is temporarily unavailable; retry after a short delay.',
    headers: { 'Retry-After': retryAfter },
  },
}

/** The error responses of an operation, as recorded from the service; the default covers all others. */
export function scimErrors(answers: OperationAnswers | undefined, media: (schema: string) => JsonObject): JsonObject {
  const responses = Object.entries(answers?.errors ?? {}).map(([status, byType]) => {
    const known = errorStatuses[status]
    if (known === undefined) throw new Error(`the SCIM document has no response for errors with status ${status}`)
    const [[type, content] = ['', {}]] = Object.entries(media('Error'))
    const examples = Object.fromEntries(Object.entries(byType).map(([name, value]) => [name, { value }]))
    return [status, { ...known, content: { [type]: Object.assign({}, content, { examples }) } }]
  })
  return { ...Object.fromEntries(responses), default: { description: 'Any other failure.', content: media('Error') } }
}
