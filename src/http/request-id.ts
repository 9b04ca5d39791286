/** Ids that callers can give to requests, so that both sides' logs can be joined. */
const accepted = /^[A-Za-z0-9._:-]{1,128}$/

/** The id of a request: the caller's `X-Request-Id` if it is acceptable, otherwise a new one. */
export function requestIdFrom(
  header: string | string[] | undefined,
  newId: () => string,
  redact: (text: string) => string,
): string {
  return typeof header === 'string' && accepted.test(header) && redact(header) === header ? header : newId()
}
