/** How long a statement may outlive a request to cancel it before another is sent: the first may have overtaken it. */
const AGAIN_MILLIS = 200

/** For which call one connection works. A class, because every statement of a call uses one. */
export class CallStatements {
  readonly #cancel: () => Promise<boolean>
  #call: object | undefined
  #requested: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined

  /** `cancel` asks the server to cancel what runs, and resolves with whether the request can no longer come later. */
  constructor(cancel: () => Promise<boolean>) {
    this.#cancel = cancel
  }

  /** From here on the connection works for the call. */
  begin(call: object): void {
    this.#call = call
  }

  /** From here on nothing is cancelled, such as a commit. */
  finish(): void {
    this.#call = undefined
    clearTimeout(this.#timer)
  }

  /** Cancels what runs for the call, until `finish`. */
  stop(call: object): void {
    if (this.#call === call && this.#requested === undefined) this.#request()
  }

  /**
   * The connection is not used any more. Undefined if nothing was cancelled; else whether it can be used again, once
   * nothing can hit its next user.
   */
  end(): Promise<boolean> | undefined {
    this.finish()
    const requested = this.#requested
    this.#requested = undefined
    return requested
  }

  #request(): void {
    const call = this.#call
    this.#requested = this.#cancel().then((isTaken) => {
      if (isTaken && call !== undefined && this.#call === call) {
        this.#timer = setTimeout(() => this.#request(), AGAIN_MILLIS)
      }
      return isTaken
    })
  }
}
