import { type DescMessage, fromJson, type MessageShape } from '@bufbuild/protobuf'

/** Makes a message of which the JSON is known, as it would be printed, in pieces; it may be read where it is asked for. */
export type PreprintMessage = <Desc extends DescMessage>(desc: Desc, json: readonly string[]) => MessageShape<Desc>

/** What handlers that answer such messages may be given. */
export interface PreprintMessageOptions {
  /** Without it the messages are read at once. */
  readonly preprintMessage?: PreprintMessage | undefined
}

/** Reads the message at once. */
export const readPrinted: PreprintMessage = (desc, json) => fromJson(desc, JSON.parse(json.join('')))
