import fc from 'fast-check'

/** The unit of texts that `binary` is to fast-check, which for it lists all of Unicode at first: any code point. */
export const codePoint = fc.nat(0x10_f7_ff).map(
  // There are no halves of pairs.
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
  (text) => {
    const [point = -1, ...more] = Array.from(String(text), (each) => each.codePointAt(0))
    if (more.length > 0) return -1
    return point < 0xd800 ? point : point - 0x800
  },
)
