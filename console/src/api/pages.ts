import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWhyNot } from './caller-context.js'
import type { RightSubject } from './rights.js'
import { itemOf } from './standard-methods.js'
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

/** The query for the pages of a list; a page is as large as the input says, or as large as can be. */
export function pagesOptions<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
) {
  const size = method.input.field['pageSize'] && { pageSize: LARGEST_PAGE }
  return infiniteQueryOptions({
    queryKey: ['pages', method.parent.typeName, method.name, input],
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) => {
      const request: unknown = { ...size, ...input, ...(pageParam !== '' && { pageToken: pageParam }) }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>, {}, signal)
      return message as unknown as ListAnswer
    },
    getNextPageParam: (page) => page.nextPageToken || undefined,
  })
}

interface ListOptions {
  /** What the list is about, as far as rights depend on it. */
  readonly about?: RightSubject | undefined
  /** Whether it is asked for yet. */
  readonly isWanted?: boolean
  /** How often it is asked for again. */
  readonly refetchInterval?: number
}

/** Reads a list page by page, as far as it is scrolled; `why` says why the caller may not, and nothing is asked. */
export function usePages<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  { about, isWanted = true, ...options }: ListOptions = {},
) {
  const why = useWhyNot(method, about)
  const transport = useTransport()
  const query = useInfiniteQuery({
    ...pagesOptions(transport, method, input),
    ...options,
    enabled: why === undefined && isWanted,
    // The rows of the last filter stay until those of the next one are there.
    placeholderData: (previous) => previous,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap((page) => page.data as readonly RowOf<O>[]) ?? [], [pages])
  const readPages = async function* () {
    const size = method.input.field['pageSize'] && { pageSize: LARGEST_PAGE }
    for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
      const request: unknown = { ...input, ...size, ...(pageToken !== '' && { pageToken }) }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>)
      const page = message as unknown as ListAnswer
      yield page.data as readonly RowOf<O>[]
      pageToken = page.nextPageToken || undefined
    }
  }
  return { ...query, why, rows, schema: itemOf(method), readPages }
}

/** How many rows a list has in all. A call of its own, because to count them takes longer than the first of them. */
export function useTotal<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  { about, isWanted = true }: ListOptions = {},
) {
  const why = useWhyNot(method, about)
  const transport = useTransport()
  const query = useQuery({
    queryKey: ['total', method.parent.typeName, method.name, input],
    enabled: why === undefined && isWanted,
    queryFn: async ({ signal }) => {
      const request: unknown = { ...input, pageSize: 1, includeTotal: true }
      const { message } = await callTagged(transport, method, request as MessageInitShape<I>, {}, signal)
      return (message as unknown as ListAnswer).totalSize ?? 0
    },
  })
  return { ...query, why }
}
