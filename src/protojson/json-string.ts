/** Refuses a text because of what is at a position in it. */
export type Fail = (reason: string, position: number) => never

/** Finds the quote that ends a string literal of JSON, from any place in the literal that is not inside an escape. */
export function endOfString(text: string, from: number, fail: Fail): number {
  let at = from
  for (;;) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at
    if (unit === 0x5c) at = endOfEscape(text, at, fail)
    else if (unit >= 0x20) at++
    else fail(at >= text.length ? 'unterminated string' : 'unescaped control character in a string', at)
  }
}

function endOfEscape(text: string, at: number, fail: Fail): number {
  switch (text.charCodeAt(at + 1)) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit++) {
        if (!isHexDigit(text.charCodeAt(digit))) fail('expected four hexadecimal digits after \\u', at)
      }
      return at + 6
    default:
      return fail('unknown escape in a string', at)
  }
}

function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}
