import { create, type DescMethod, fromBinary, type MessageInitShape, toBinary, toJsonString } from '@bufbuild/protobuf'
import { expect } from '@jest/globals'
import type { TestService } from './service.js'

/** Every character that JSON may escape, and some that it must not; U+0000 cannot be stored. */
export const awkwardTexts = [
  Array.from({ length: 0x2f }, (_, code) => String.fromCharCode(code + 1)).join(''),
  '"\\/\u007f\u0080\u2028\u2029\ufeff\ufffd é ü \u{1f680} {}[],:',
  '\\u0001 \\n null',
]

/** The binary response to a call of a read method, printed by the standard printer. */
export async function standardJson<Method extends DescMethod>(
  service: TestService,
  method: Method,
  { token, request }: { token: string; request: MessageInitShape<Method['input']> },
): Promise<string> {
  const message = Buffer.from(toBinary(method.input, create<DescMethod['input']>(method.input, request)))
  const query = `connect=v1&encoding=proto&base64=1&message=${message.toString('base64url')}`
  const answer = await fetch(`${service.baseUrl}${pathOf(method)}?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return toJsonString(method.output, fromBinary(method.output, bytes), { alwaysEmitImplicit: true })
}

/** The path of a method over Connect. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`
}

/** Asserts that JSON has no spaces between its tokens, and its keys in the order of the standard printer. */
export function expectAsInSchema(printed: string, standard: string): void {
  // Numbers may be spelled differently.
  expect(JSON.stringify(JSON.parse(printed))).toBe(JSON.stringify(JSON.parse(standard)))
  expect(printed.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').trimEnd()).not.toMatch(/\s/)
}
