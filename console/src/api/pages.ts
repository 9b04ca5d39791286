import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { itemOf } from '../screens/resource/declaration.js'
import { callTagged } from './tagged.js'

/** A row of the lists that a method answers. */
export type RowOf<O extends DescMessage> =
  MessageShape<O> extends { readonly data: readonly (infer Row)[] } ? Row : never

/** What all lists answer; those that are whole have no further page. */
interface ListAnswer {
  readonly data: readonly unknown[]
  readonly nextPageToken?: string
  readonly totalSize?: number
}

const LARGEST_PAGE = 1_000

/** The query for the pages of a list. */
export function pagesOptions<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
) {
  return infiniteQueryOptions({
    queryKey: ['pages', method.parent.typeName, method.name, input],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const request: unknown = { ...input, ...(pageParam !== '' && { pageToken: pageParam }) }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>, {}, signal)
      return message as unknown as ListAnswer
    },
    getNextPageParam: (page) => page.nextPageToken || undefined,
  })
}

/** Reads a list page by page, as far as it is scrolled. Asks nothing where `isAllowed` is false. */
export function usePages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  isAllowed = true,
) {
  const query = useInfiniteQuery({
    ...pagesOptions(useTransport(), method, input),
    enabled: isAllowed,
    // The rows of the last filter stay until those of the next one are there.
    placeholderData: (previous) => previous,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.data as readonly RowOf<O>[]) ?? [], [pages])
  const transport = useTransport()
  const readAll = async () => {
    const all: RowOf<O>[] = []
    const size = method.input.field['pageSize'] && { pageSize: LARGEST_PAGE }
    for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
      const request: unknown = { ...input, ...size, ...(pageToken !== '' && { pageToken }) }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>)
      const page = message as unknown as ListAnswer
      all.push(...(page.data as readonly RowOf<O>[]))
      pageToken = page.nextPageToken || undefined
    }
    return all
  }
  return { ...query, rows, schema: itemOf(method), readAll }
}

/** How many rows a list has in all. A call of its own, because to count them takes longer than the first of them. */
export function useTotal<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  isAllowed = true,
): number | undefined {
  return useTotalQuery(method, input, isAllowed).data
}

/** The same, with what there is to say until it is known. */
export function useTotalQuery<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  isAllowed = true,
) {
  const transport = useTransport()
  return useQuery({
    queryKey: ['total', method.parent.typeName, method.name, input],
    enabled: isAllowed,
    queryFn: async ({ signal }) => {
      const request: unknown = { ...input, pageSize: 1, includeTotal: true }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>, {}, signal)
      return (message as unknown as ListAnswer).totalSize ?? 0
    },
  })
}
