import { setImmediate } from 'node:timers/promises'
import { create, type DescMessage, type MessageInitShape, type MessageShape, toJson } from '@bufbuild/protobuf'
import type { Page } from '../domain/paging.js'
import { preprintedMessage } from '../protojson/json-printer.js'

/** How answers are printed over every door: fields without presence are always there. */
export const answerJsonOptions = { alwaysEmitImplicit: true }

/** The length, in characters, from which texts take milliseconds to receive and send. */
const LONG_TEXT = 1_000_000

/** Makes the answer of a call: `data` is JSON printed by the database, `others` are the fields beside it. */
export function printedAnswer<Desc extends DescMessage>(
  desc: Desc,
  data: string,
  others?: MessageInitShape<Desc>,
): MessageShape<Desc> {
  return preprintedMessage(desc, ['{"data":', data, others === undefined ? '}' : othersText(desc, others)])
}

/** Makes a page as the answer. A long one takes several turns of the event loop, so that others get theirs. */
export async function printedPage<Desc extends DescMessage>(
  desc: Desc,
  { items, nextPageToken, totalSize }: Page,
): Promise<MessageShape<Desc>> {
  if (items.length > LONG_TEXT) await setImmediate()
  const total = totalSize === undefined ? '' : `,"totalSize":${totalSize}`
  return preprintedMessage(desc, ['{"data":[', items, `],"nextPageToken":${JSON.stringify(nextPageToken)}${total}}`])
}

/** Makes the answer of a list: a page, or the JSON of all of it. */
export function printedList<Desc extends DescMessage>(
  desc: Desc,
  list: Page | string,
): MessageShape<Desc> | Promise<MessageShape<Desc>> {
  return typeof list === 'string' ? printedAnswer(desc, list) : printedPage(desc, list)
}

/** The end of the JSON of a message, after its field `data`. */
function othersText<Desc extends DescMessage>(desc: Desc, others: MessageInitShape<Desc>): string {
  const { data: _, ...rest } = Object(toJson(desc, create(desc, others), answerJsonOptions))
  return `,${JSON.stringify(rest).slice(1)}`
}
