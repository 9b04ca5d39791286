import { controlCharacterWords, tooLongWords } from '../../limits/limit-words.js'

/** What a text may be that is no field of the schema by itself. Lengths count Unicode code points. */
export interface TextLimits {
  readonly max: number
  /** Whether line breaks and tabs are allowed. */
  readonly multiline?: boolean
}

const controlCharacter = /\p{Cc}/u
const controlCharacterExceptLayout = /[^\P{Cc}\t\n\r]/u

/** What is wrong with a text; nothing where it fits. */
export function textFault(value: string, { max, multiline = false }: TextLimits): string | undefined {
  // A code point takes two units at most: what is far too long is not counted.
  const length = value.length <= max || value.length > 2 * max ? value.length : Array.from(value).length
  if (length > max) return tooLongWords(max)
  const unwanted = multiline ? controlCharacterExceptLayout : controlCharacter
  return unwanted.test(value) ? controlCharacterWords(multiline) : undefined
}
