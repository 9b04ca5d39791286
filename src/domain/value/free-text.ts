import { controlCharacterWords, tooLongWords } from '../../limits/limit-words.js'

const controlCharacter = /\p{Cc}/u
const controlCharacterExceptLayout = /[^\P{Cc}\t\n\r]/u

/**
 * What is wrong with a text that is not itself a field of the schema; undefined if it is valid. `max` counts Unicode
 * code points; `multiline` allows line breaks and tabs.
 */
export function textFault(value: string, max: number, multiline = false): string | undefined {
  // A code point takes at most two units, so text that is far too long need not be counted.
  const length = value.length <= max || value.length > 2 * max ? value.length : Array.from(value).length
  if (length > max) return tooLongWords(max)
  const unwanted = multiline ? controlCharacterExceptLayout : controlCharacter
  return unwanted.test(value) ? controlCharacterWords(multiline) : undefined
}
