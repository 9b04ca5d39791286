import { setImmediate } from 'node:timers/promises'
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf'

/**
 * Makes a list of messages of which the JSON is known, the text of the array as it would be printed, in pieces that are
 * never joined where they are long; `read` makes the messages where they are asked for.
 */
export type PreprintList = <T>(json: readonly string[], read: () => T[]) => T[]

/** What handlers of such lists may be given. */
export interface PreprintOptions {
  /** Without it the messages are always made. */
  readonly preprintList?: PreprintList | undefined
}

/** Makes the messages at once. */
export const readAtOnce: PreprintList = (_json, read) => read()

/** The list of items that are printed, with commas between them. */
export function listOfPrinted<Desc extends DescMessage>(
  desc: Desc,
  items: string,
  preprintList: PreprintList,
): MessageShape<Desc>[] {
  const json = ['[', items, ']']
  return preprintList(json, () => (JSON.parse(json.join('')) as JsonValue[]).map((item) => fromJson(desc, item)))
}

/** Texts that take milliseconds to compose and to send, in characters. */
const LONG_TEXT = 1_000_000

/** Lets others in between the turns of the event loop in which a long text is received, composed and sent. */
export async function betweenTurns(text: string): Promise<void> {
  if (text.length > LONG_TEXT) await setImmediate()
}
