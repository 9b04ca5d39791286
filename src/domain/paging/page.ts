/**
 * A page of a list: the JSON of its items with commas between them, and the token of the next page, empty on the last.
 */
export interface Page {
  readonly items: string
  readonly nextPageToken: string
}
