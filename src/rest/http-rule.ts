import type { DescMethod } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** One `google.api.HttpRule`: a method of HTTP, a path template and what its bodies are. */
export interface HttpRule {
  /** `GET`, …, a custom kind, or `*`; undefined when the rule has no pattern. */
  readonly method: string | undefined
  readonly path: string
  readonly body: string
  readonly responseBody: string
  readonly additionalBindings: readonly HttpRule[]
}

const HTTP_EXTENSION = 72295728
const METHODS: Readonly<Record<number, string>> = { 2: 'GET', 3: 'PUT', 4: 'POST', 5: 'DELETE', 6: 'PATCH' }

/**
 * Reads the `google.api.http` option of a method from the bytes of its unknown option fields, so that no generated code
 * is needed; undefined without one. Several occurrences merge as protobuf merges messages.
 */
export function httpRuleFromMethod(method: DescMethod): HttpRule | undefined {
  const chunks: Uint8Array[] = []
  for (const field of method.proto.options?.$unknown ?? []) {
    if (field.no === HTTP_EXTENSION && field.wireType === WireType.LengthDelimited) {
      chunks.push(new BinaryReader(field.data).bytes())
    }
  }
  return chunks.length === 0 ? undefined : httpRuleFromBytes(Buffer.concat(chunks))
}

/** Parses a binary `google.api.HttpRule`. Fields that it does not know are skipped. */
export function httpRuleFromBytes(bytes: Uint8Array): HttpRule {
  const rule: { -readonly [K in keyof HttpRule]: HttpRule[K] } = {
    method: undefined,
    path: '',
    body: '',
    responseBody: '',
    additionalBindings: [],
  }
  const additional: HttpRule[] = []
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag()
    const method = METHODS[no]
    if (method !== undefined) {
      rule.method = method
      rule.path = reader.string()
    } else if (no === 7) rule.body = reader.string()
    else if (no === 12) rule.responseBody = reader.string()
    else if (no === 8) Object.assign(rule, customPatternFromBytes(reader.bytes()))
    else if (no === 11) additional.push(httpRuleFromBytes(reader.bytes()))
    else reader.skip(wireType, no)
  }
  return { ...rule, additionalBindings: additional }
}

function customPatternFromBytes(bytes: Uint8Array): { method: string; path: string } {
  const pattern = { method: '', path: '' }
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag()
    if (no === 1) pattern.method = reader.string()
    else if (no === 2) pattern.path = reader.string()
    else reader.skip(wireType, no)
  }
  return pattern
}
