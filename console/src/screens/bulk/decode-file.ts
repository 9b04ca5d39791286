/** Reads UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as a guess. Throws for bytes that are no text. */
export function decodeFile(bytes: Uint8Array): { readonly text: string; readonly guessed?: string } {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le', { fatal: true }).decode(bytes) }
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be', { fatal: true }).decode(bytes) }
  if (bytes.includes(0)) throw new Error('This is no text: save the sheet as CSV first.')
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), guessed: 'Windows-1252' }
  }
}
