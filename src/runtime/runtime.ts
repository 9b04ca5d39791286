/** The clock and the randomness that rules use, passed in so that tests can control them. */
export interface Runtime {
  /** The time. */
  now(): Date
  /** A new id (UUIDv7, RFC 9562), in creation order. */
  newId(): string
  /** Unpredictable bytes. */
  randomBytes(size: number): Uint8Array<ArrayBuffer>
}
