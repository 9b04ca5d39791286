/** The largest document that is accepted. */
const MAX_BYTES = 1024 * 1024

/** A JSON object of at most 1 MiB; redirects are not followed. Rejects with a sentence for operators. */
export async function fetchJsonObject(
  url: string,
  { signal, headers }: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
): Promise<object> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json', ...headers } })
    if (!answer.ok) throw new Error(`the status is ${answer.status}`)
    const document: unknown = JSON.parse(await readText(answer))
    if (typeof document !== 'object' || document === null) throw new Error('the document is not an object')
    return document
  } catch (cause) {
    throw new Error(`${url} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

/** `fetch` hides why it failed in a cause, and a name with several addresses in an error without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error instanceof AggregateError ? error.errors.map(reasonOf).join(', ') : error.message
}

/** Counted as it arrives: a declared length may be wrong, or be that of a compressed body. */
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
