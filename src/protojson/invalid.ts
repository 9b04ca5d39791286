import type { JsonValue } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { Code, ConnectError } from '@connectrpc/connect'

/**
 * The error for bad input: `invalid_argument`, a message that starts with the parameter or field, and a
 * `google.rpc.BadRequest` detail with one field violation. An empty name is left out, and overlong texts are cut.
 */
export function invalidArgument(name: string, reason: string): ConnectError {
  const field = shortened(name, MAX_NAME)
  const description = shortened(reason, MAX_DESCRIPTION)
  const error = new ConnectError(field === '' ? description : `${field}: ${description}`, Code.InvalidArgument)
  const detail: { type: string; value: Uint8Array; debug: JsonValue } = {
    type: 'google.rpc.BadRequest',
    value: badRequestBytes(field, description),
    debug: { fieldViolations: [{ field, description }] },
  }
  error.details.push(detail)
  return error
}

// Written by hand: this folder imports no generated code. BadRequest.field_violations = 1 {field = 1, description = 2}.
function badRequestBytes(field: string, description: string): Uint8Array {
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.LengthDelimited)
    .string(field)
    .tag(2, WireType.LengthDelimited)
    .string(description)
    .join()
    .finish()
}

/** Text or JSON that cannot be read as a value; the caller knows the field and makes the error. */
export class ValueFault extends Error {}

const MAX_NAME = 200
const MAX_DESCRIPTION = 500
const MAX_QUOTED = 80

/** Quotes text from a request for an error message, shortened so that a message stays readable. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, MAX_QUOTED))
}

/** Text from a request, as much of it as a message shows. */
export function shortened(text: string, length = 100): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
