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

/** Makes a message from its printed JSON, in pieces; it may be read only when it is needed. */
export type PreprintMessage = <Desc extends DescMessage>(desc: Desc, json: readonly string[]) => MessageShape<Desc>

/** Reads the message at once. Fields written by a later version are ignored. */
export const readPrinted: PreprintMessage = (desc, json) =>
  fromJson(desc, JSON.parse(json.join('')), { ignoreUnknownFields: true })

/** How handlers make answers from printed JSON. */
export interface PrintedAnswerOptions {
  /** Makes the answer of a call: `data` is JSON printed by the database, `others` are the fields beside it. */
  readonly printedAnswer: <Desc extends DescMessage>(
    desc: Desc,
    data: string,
    others?: MessageInitShape<Desc>,
  ) => MessageShape<Desc>
  /**
   * Makes a page as the answer. A long one is handled over several turns of the event loop, so that others get theirs.
   */
  readonly printedPage: <Desc extends DescMessage>(desc: Desc, page: Page) => Promise<MessageShape<Desc>>
}

/** The length, in characters, from which texts take milliseconds to receive and send. */
const LONG_TEXT = 1_000_000

/** Builds answers around printed JSON, which is not touched. */
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

/** The end of the JSON of a message, after its field `data`. */
function othersText<Desc extends DescMessage>(desc: Desc, others: MessageInitShape<Desc>): string {
  const { data: _, ...rest } = Object(toJson(desc, create(desc, others), { alwaysEmitImplicit: true }))
  return `,${JSON.stringify(rest).slice(1)}`
}
