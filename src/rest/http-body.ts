import { create, type DescMessage, type Message } from '@bufbuild/protobuf'

/** Whether a message type is `google.api.HttpBody`, raw bytes with a content type. */
export function isHttpBody(desc: DescMessage | undefined): desc is DescMessage {
  return desc?.typeName === 'google.api.HttpBody'
}

/** Makes a `google.api.HttpBody` of raw bytes. */
export function httpBodyFromBytes(desc: DescMessage, contentType: string, data: Uint8Array): Message {
  return Object.assign(create(desc), { contentType, data: new Uint8Array(data) })
}

/** The content type and bytes of a `google.api.HttpBody`; without a type it is `application/octet-stream`. */
export function bytesFromHttpBody(message: Message): { contentType: string; data: Uint8Array } {
  const { contentType, data } = message as Message & { contentType?: string; data?: Uint8Array }
  return { contentType: contentType || 'application/octet-stream', data: data ?? new Uint8Array() }
}
