/** The issuer cannot be reached, or does not answer as it should. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable'
}

/** The largest document that is accepted from the issuer. */
const MAX_BYTES = 1024 * 1024

/**
 * Fetches a JSON object of the issuer, of at most 1 MiB. Rejects with `IssuerUnavailable` if it cannot be had, for
 * whatever reason; redirects are not followed.
 */
export async function fetchIssuerDocument(
  url: string,
  signal: AbortSignal,
  traceparent: string | undefined,
): Promise<object> {
  const headers = { accept: 'application/json', ...(traceparent !== undefined && { traceparent }) }
  try {
    const answer = await fetch(url, { redirect: 'error', signal, headers })
    if (!answer.ok) throw new Error(`the issuer answers ${answer.status}`)
    const document: unknown = JSON.parse(await readText(answer))
    if (typeof document !== 'object' || document === null) throw new Error('the document is not an object')
    return document
  } catch (cause) {
    throw new IssuerUnavailable(`${url} cannot be used`, { cause })
  }
}

/**
 * Counted as it arrives: a declared length may be wrong, and for a compressed body it is not the length of the text.
 */
async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength
    if (length > MAX_BYTES) throw new Error(`the document has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
