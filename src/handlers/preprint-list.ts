/**
 * Makes a list of messages of which the JSON is known, the text of the array as it would be printed; `read` makes the
 * messages where they are asked for.
 */
export type PreprintList = <T>(json: string, read: () => T[]) => T[]

/** What handlers of such lists may be given. */
export interface PreprintOptions {
  /** Without it the messages are always made. */
  readonly preprintList?: PreprintList | undefined
}

/** Makes the messages at once. */
export const readAtOnce: PreprintList = (_json, read) => read()
