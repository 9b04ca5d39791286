/** An id that a caller may give a request so that both sides' logs can be joined. */
const accepted = /^[A-Za-z0-9._:-]{1,128}$/

/** The id of a request: the caller's `X-Request-Id` where it can be taken over, else a new one. */
export function requestIdFrom(
  header: string | string[] | undefined,
  newId: () => string,
  redact: (text: string) => string,
): string {
  return typeof header === 'string' && accepted.test(header) && redact(header) === header ? header : newId()
}
