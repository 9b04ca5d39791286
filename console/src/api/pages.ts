import type { DescMessage, DescMethodUnary, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useWhyNot } from './caller-context.js'
import { nameOf } from './message.js'
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

async function readPage<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  pageToken: string,
  signal?: AbortSignal,
): Promise<ListAnswer> {
  const size = method.input.field['pageSize'] && { pageSize: LARGEST_PAGE }
  const request: unknown = { ...size, ...input, ...(pageToken !== '' && { pageToken }) }
  return (await callTagged(transport, method, request as MessageInitShape<I>, {}, signal)).message as never
}

/** The query for the pages of a list; a page is as large as the input says, or as large as can be. */
export function pagesOptions<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
) {
  return infiniteQueryOptions({
    queryKey: ['pages', method.parent.typeName, method.name, input],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => readPage(transport, method, input, pageParam, signal),
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
  const { q = '', ...others } = input as { readonly q?: string }
  // What the service does not search is always read to its end, and searched here.
  const asked = (method.input.field['q'] ? input : others) as MessageInitShape<I>
  const sought = method.input.field['q'] ? '' : q
  const query = useInfiniteQuery({
    ...pagesOptions(transport, method, asked),
    ...options,
    enabled: why === undefined && isWanted,
    // The rows of the last filter stay until those of the next one are there.
    placeholderData: (previous) => previous,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap(({ data }) => foundIn<RowOf<O>>(data, sought)) ?? [], [pages, sought])
  const readPages = async function* () {
    const { pageSize: _, ...whole } = asked as { readonly pageSize?: number }
    for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
      const page: ListAnswer = await readPage(transport, method, whole as typeof asked, pageToken)
      yield foundIn<RowOf<O>>(page.data, sought)
      pageToken = page.nextPageToken || undefined
    }
  }
  return { ...query, why, rows, schema: itemOf(method), readPages }
}

/** The rows that have each of some words in a text of theirs. */
function foundIn<Row>(rows: readonly unknown[], sought: string): readonly Row[] {
  const words = sought.toLowerCase().match(/\S+/g)
  const isFound = (row: Message) => {
    const texts = Object.entries(row).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' && !/id$/i.test(name) ? value : [],
    )
    const text = [nameOf(row), ...texts].join(' ').toLowerCase()
    return words?.every((word) => text.includes(word))
  }
  return (words === null ? rows : (rows as readonly Message[]).filter(isFound)) as readonly Row[]
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
      const one = { ...input, pageSize: 1, includeTotal: true } as MessageInitShape<I>
      return (await readPage(transport, method, one, '', signal)).totalSize ?? 0
    },
  })
  return { ...query, why }
}
