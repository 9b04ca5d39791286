/** An answer with one page of a list. */
export interface ListPage<Item> {
  readonly data: Item[]
  /** Absent from lists that are whole. */
  readonly nextPageToken?: string
}

/**
 * Yields all items of a list, page by page: `for await (const user of eachItem((pageToken) => svc.users.listUsers({
 * pageToken })))`.
 */
export async function* eachItem<Item>(
  listPage: (pageToken: string) => Promise<ListPage<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let pageToken = ''
  do {
    const page = await listPage(pageToken)
    yield* page.data
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
}
