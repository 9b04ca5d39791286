// The smallest metadata knows calling codes and possible lengths, which is all that is checked here. Ranges within a
// plan are not checked: operators open new ones before any library knows them, and refusing a real number is the worse
// mistake.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

const writtenNumber = /^\+[0-9 ().\-/]+$/

/**
 * The number in E.164, such as `+14155552671`; undefined if the text is not a phone number in international form, with
 * an existing calling code and a length that its plan allows. Spaces and punctuation are ignored; extensions do not
 * exist in E.164.
 */
export function phoneNumberFromText(text: string): string | undefined {
  if (!writtenNumber.test(text)) return undefined
  const number = parsePhoneNumberFromString(text, { extract: false })
  return number?.isPossible() === true ? number.number : undefined
}
