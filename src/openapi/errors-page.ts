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

A failed REST call answers with the status of its code and this body:

\`\`\`json
{
  "code": "not_found",
  "message": "priority not found: it does not exist or is out of reach",
  "detail": {
    "type": "google.rpc.ErrorInfo",
    "value": "<the same message, binary, base64>",
    "debug": {
      "reason": "ERROR_REASON_RESOURCE_NOT_FOUND",
      "domain": "svc.v2",
      "metadata": { "resourceType": "priority", "resourceId": "p1" }
    }
  }
}
\`\`\`

Branch on \`code\` and \`reason\`, never on \`message\`: its text may change. If single fields are at fault, the detail is
a \`google.rpc.BadRequest\`, and each of its \`fieldViolations\` names the field and the reason. That of a failure of the
service is a \`google.rpc.RequestInfo\` with the id of the request, which every answer has as \`X-Request-Id\`, and every line
of the log. \`detail\` is absent if there is nothing to add. Over Connect, gRPC and gRPC-Web the same details are where the
protocol puts them.

| code | REST status | what to do |
| --- | --- | --- |
| \`invalid_argument\`, \`out_of_range\` | 400 | correct the request |
| \`failed_precondition\` | 400 | change the state first |
| \`unauthenticated\` | 401 | get a new access token, once; if that fails, ask a person |
| \`permission_denied\` | 403 | use another credential, or ask for the permission |
| \`not_found\` | 404 | correct the id; it may belong to someone else |
| \`unimplemented\` | 405 for a wrong method, else 501 | correct the call |
| \`already_exists\` | 409 | choose another value |
| \`aborted\` | 409 | try the whole call again; after \`ERROR_REASON_ETAG_MISMATCH\`, read the object first |
| \`resource_exhausted\` | 429, or 413 for a body that is too large | wait as \`Retry-After\` says; make it smaller |
| \`canceled\` | 499 | nothing: the caller went away |
| \`internal\`, \`unknown\`, \`data_loss\` | 500 | report it with the \`X-Request-Id\` |
| \`unavailable\` | 503 | try again after \`Retry-After\`, or after a short delay |
| \`deadline_exceeded\` | 504 | reads: try again; writes: look first |

One answer has a different body: a client address that calls the revoke operation more than five times in a minute gets 429
with \`{"error": "slow_down", "error_description": "…"}\` and \`Retry-After\`.

## Reasons

${sections.join('\n')}`
}
