import type { DescMessage, Message } from '@bufbuild/protobuf'

/** Whether a message type is `google.api.HttpBody`, raw bytes with a content type. */
export function isHttpBody(desc: DescMessage | undefined): desc is DescMessage {
  return desc?.typeName === 'google.api.HttpBody'
}

/**
 * Fills a `google.api.HttpBody` with raw bytes. They are copied, because the given ones may be in one of Node's pools.
 */
export function fillHttpBody(message: Message, contentType: string, bytes: Uint8Array): void {
  Object.assign(message, { contentType, data: new Uint8Array(bytes) })
}

/** The content type and bytes of a `google.api.HttpBody`; without a type it is `application/octet-stream`. */
export function bytesFromHttpBody(message: Message): { contentType: string; data: Uint8Array } {
  const { contentType, data } = message as Message & { contentType?: string; data?: Uint8Array }
  return { contentType: contentType || 'application/octet-stream', data: data ?? new Uint8Array() }
}
