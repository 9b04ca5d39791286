import { setImmediate } from 'node:timers/promises'
import {
  create,
  type DescMessage,
  fromJson,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf'
import type { Page } from '../domain/paging/page.js'

/** Makes a message of which the JSON is known, as it would be printed, in pieces; it may be read where it is asked for. */
export type PreprintMessage = <Desc extends DescMessage>(desc: Desc, json: readonly string[]) => MessageShape<Desc>

/** Reads the message at once. What a later version has written is passed over. */
export const readPrinted: PreprintMessage = (desc, json) =>
  fromJson(desc, JSON.parse(json.join('')), { ignoreUnknownFields: true })

/** What handlers that answer what is printed are given. */
export interface PrintedAnswerOptions {
  /** Makes the answer of a call: `data` is JSON that the database has printed, `others` are the fields beside it. */
  readonly printedAnswer: <Desc extends DescMessage>(
    desc: Desc,
    data: string,
    others?: MessageInitShape<Desc>,
  ) => MessageShape<Desc>
  /** Makes the answer that is a page. Others come in between the turns of the event loop in which a long one is handled. */
  readonly printedPage: <Desc extends DescMessage>(desc: Desc, page: Page) => Promise<MessageShape<Desc>>
}

/** Texts that take milliseconds to receive and to send, in characters. */
const LONG_TEXT = 1_000_000

/** Composes answers around what is printed, which is not touched. */
export function createPrintedAnswers(preprintMessage: PreprintMessage): PrintedAnswerOptions {
  return {
    printedAnswer: (desc, data, others) =>
      preprintMessage(desc, ['{"data":', data, others === undefined ? '}' : othersText(desc, others)]),
    printedPage: async (desc, { items, nextPageToken }) => {
      if (items.length > LONG_TEXT) await setImmediate()
      return preprintMessage(desc, ['{"data":[', items, `],"nextPageToken":${JSON.stringify(nextPageToken)}}`])
    },
  }
}

/** The end of the JSON of a message behind its field `data`. */
function othersText<Desc extends DescMessage>(desc: Desc, others: MessageInitShape<Desc>): string {
  const { data: _, ...rest } = Object(toJson(desc, create(desc, others), { alwaysEmitImplicit: true }))
  return `,${JSON.stringify(rest).slice(1)}`
}
