import type { DescEnum } from '@bufbuild/protobuf'
import type { SourceComments } from './source-comments.js'

/** The page with every error reason, in Markdown, from the comments of the enum. */
export function errorsPage(reasons: DescEnum, comments: SourceComments): string {
  const sections = reasons.values
    .filter((value) => value.number !== 0)
    .map((value) => {
      const [meaning = '', example = ''] = comments(`${reasons.typeName}.${value.name}`).split('Example: ')
      return `### \`${value.name}\`\n\n${meaning.trimEnd()}\n\nExample: ${example}\n`
    })
  return `<!-- Generated from proto/svc/v2/error_reason.proto by "npm run generate". -->

# Errors

A failed REST call returns the HTTP status of its code and this body:

\`\`\`json
{
  "code": "not_found",
  "message": "priority not found: it does not exist, or you have no access to it",
  "detail": {
    "type": "google.rpc.ErrorInfo",
    "value": "<the same detail, binary, base64>",
    "debug": {
      "reason": "ERROR_REASON_RESOURCE_NOT_FOUND",
      "domain": "svc.v2",
      "metadata": { "resourceType": "priority", "resourceId": "p1" }
    }
  }
}
\`\`\`

Branch on \`code\` and \`reason\`, never on \`message\`, whose text may change. If specific fields are invalid, the detail is
a \`google.rpc.BadRequest\`, and each of its \`fieldViolations\` names the field and the reason. For internal failures, the
detail is a \`google.rpc.RequestInfo\` with the id of the request, which is also the \`X-Request-Id\` of the response and
appears on every log line of the request. \`detail\` is absent if there is nothing to add. Connect, gRPC and gRPC-Web carry
the same details where the protocol puts them.

| code | REST status | what to do |
| --- | --- | --- |
| \`invalid_argument\`, \`out_of_range\` | 400 | fix the request |
| \`failed_precondition\` | 400 | fix the state of the resource first |
| \`unauthenticated\` | 401 | get a new access token once; if that fails too, alert a person |
| \`permission_denied\` | 403 | use another credential, or request the permission |
| \`not_found\` | 404 | fix the id; it may belong to another organization |
| \`unimplemented\` | 405 for a wrong method, else 501 | fix the call |
| \`already_exists\` | 409 | choose another value |
| \`aborted\` | 409 | retry the whole call; after \`ERROR_REASON_ETAG_MISMATCH\`, read the object again first |
| \`resource_exhausted\` | 429, or 413 for a body that is too large | wait for \`Retry-After\`; or send a smaller body |
| \`canceled\` | 499 | nothing: the caller canceled the call |
| \`internal\`, \`unknown\`, \`data_loss\` | 500 | report it with the \`X-Request-Id\` |
| \`unavailable\` | 503 | retry after \`Retry-After\`, or after a short delay |
| \`deadline_exceeded\` | 504 | reads: retry; writes: check the result first |

One response has a different body: a client address that calls the revoke operation more than five times in a minute gets
429 with \`{"error": "slow_down", "error_description": "…"}\` and \`Retry-After\`.

## Reasons

${sections.join('\n')}`
}
