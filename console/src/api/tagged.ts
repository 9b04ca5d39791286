import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { createConnectQueryKey, useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'

/** An answer with the version of the object in it. */
export interface Tagged<Answer> {
  readonly message: Answer
  /** For `If-Match`. */
  readonly etag: string | undefined
}

/** Calls a method and keeps the `ETag` of its answer. Throws a `ConnectError`. */
export async function callTagged<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Tagged<MessageShape<O>>> {
  const answer = await transport.unary(method, signal, undefined, headers, input)
  return { message: answer.message, etag: answer.header.get('etag') ?? undefined }
}

/** Reads an object that can be changed, with its version. */
export function useTagged<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  enabled = true,
) {
  const transport = useTransport()
  const read = () => callTagged(transport, method, input)
  const key = createConnectQueryKey({
    schema: method,
    input: create(method.input, input),
    transport,
    cardinality: 'finite',
  })
  const query = useQuery({ queryKey: [...key, 'tagged'], queryFn: read, structuralSharing: false, enabled })
  return { ...query, read }
}
