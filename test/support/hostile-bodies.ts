import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** A body that is as expensive to read as possible, with a name for it. */
export interface HostileBody {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What texts are filled with: each takes a different path through decoders, patterns and parsers. */
const textUnits = ['a', 'ä', '\\n', '\\u0041', '\\ud83d\\ude00', '1', '+1', ' ', '@a', 'a.', 'a-', '/', '%41', 'é ']

/** JSON of about `size` bytes for a message: every field too long, every list too long, and unknown fields. */
export function hostileJson(desc: DescMessage, size: number): HostileBody[] {
  const bodies: HostileBody[] = []
  const add = (name: string, before: string, unit: string, after: string, separator = '') => {
    const count = Math.floor((size - before.length - after.length) / Buffer.byteLength(unit + separator))
    const middle = (unit + separator).repeat(count - 1) + unit
    bodies.push({ name, bytes: Buffer.from(before + middle + after) })
  }
  for (const { path, before, after, field } of places(desc)) {
    if (field.scalar === ScalarType.STRING && field.fieldKind !== 'list') {
      // The first text is filled with everything, the others with what their rules check.
      const units = bodies.length === 0 ? textUnits : ['a', '1', 'é ']
      for (const unit of units) add(`${path} of ${unit}`, `${before}"`, unit, `"${after}`)
    } else if (field.scalar !== undefined && field.scalar !== ScalarType.BOOL && field.fieldKind !== 'list') {
      add(`${path} of digits`, before, '1', after)
      add(`${path} of digits in quotes`, `${before}"`, '1', `"${after}`)
      add(`${path} of zeros behind a point`, `${before}1.`, '0', after)
      add(`${path} of zeros and a power`, `${before}1`, '0', `e-99999${after}`)
    }
    for (const item of field.fieldKind === 'list' ? itemsOf(field) : []) {
      add(`${path}[] of ${item.slice(0, 40)}`, `${before}[`, item, `]${after}`, ',')
      const most = (item.match(/":/g)?.length ?? 0) + 1
      const list = `${item},`.repeat(Math.floor(29_900 / most)).slice(0, -1)
      bodies.push({ name: `${path}[] of as many as are taken`, bytes: Buffer.from(`${before}[${list}]${after}`) })
    }
    add(`${path} of brackets`, before, '[', after)
    add(`${path} of braces`, before, '{"a":', after)
  }
  const keys = Array.from({ length: Math.floor(size / 12) }, (_, index) => `"k${index}":0`).join(',')
  bodies.push({ name: 'keys', bytes: Buffer.from(`{${keys}}`) })
  add('an unknown list', '{"x":[', '1', ']}', ',')
  add('one key again and again', '{', '"id":""', '}', ',')
  add('lines', '{', '\n', '}x')
  add('spaces', '{', ' ', '')
  add('a long key', '{"', 'k', '":1}')
  add('a long key of escapes', '{"', '\\u00e4', '":1}')
  add('broken text', '{"id":"', 'a', '\\x"}')
  return bodies
}

/** JSON of about `size` bytes that is as cheap to read as any of its length that is not one text. */
export function plainJson(size: number): Uint8Array {
  return Buffer.from(`{"x":[${'"plain text",'.repeat(Math.floor(size / 13)).slice(0, -1)}]}`)
}

/** The same as a binary message: texts of a field that no message has. */
export function plainBinary(size: number): Uint8Array {
  const text = new BinaryWriter().tag(1_000, WireType.LengthDelimited).string('plain text').finish()
  return Buffer.alloc(Math.floor(size / text.length) * text.length, text)
}

/** Binary messages of about `size` bytes, in the same spirit. */
export function hostileBinary(desc: DescMessage, size: number): HostileBody[] {
  const bodies: HostileBody[] = []
  const add = (name: string, unit: Uint8Array) => {
    bodies.push({ name, bytes: Buffer.alloc(Math.floor(size / unit.length) * unit.length, unit) })
  }
  for (const field of desc.fields) {
    const tag = new BinaryWriter().tag(field.number, WireType.LengthDelimited)
    if (field.message !== undefined || field.scalar === ScalarType.STRING)
      add(`${field.name}, empty`, tag.bytes(new Uint8Array()).finish())
    const long = (fill: string) =>
      new BinaryWriter().tag(field.number, WireType.LengthDelimited).bytes(Buffer.alloc(size, fill)).finish()
    for (const fill of ['a', 'ä', '\0', '\x08', '\xff'])
      bodies.push({ name: `${field.name} of ${JSON.stringify(fill)}`, bytes: long(fill) })
    const inner = field.message?.fields[0]
    if (inner !== undefined) {
      const item = new BinaryWriter().tag(inner.number, WireType.LengthDelimited).bytes(Buffer.from('x')).finish()
      const items = new BinaryWriter().tag(field.number, WireType.LengthDelimited).bytes(item).finish()
      add(`${field.name} with a field`, items)
      bodies.push({ name: `${field.name} as many as are taken`, bytes: Buffer.alloc(items.length * 14_900, items) })
    }
  }
  add('unknown numbers', Uint8Array.of(0x78, 1))
  add('unknown empty texts', Uint8Array.of(0x7a, 0))
  add('unknown groups', Uint8Array.of(0x7b, 0x7c))
  add('open groups', Uint8Array.of(0x7b))
  add('no end of a number', Uint8Array.of(0xff))
  return bodies
}

interface Place {
  readonly path: string
  /** The JSON before and after the value. */
  readonly before: string
  readonly after: string
  readonly field: DescField
}

/** Every field that can be reached from a message, through one item of each list. */
function places(desc: DescMessage, path = '', before = '', after = '', above: readonly DescMessage[] = []): Place[] {
  if (above.includes(desc)) return []
  return desc.fields.flatMap((field): Place[] => {
    const place = {
      path: `${path}${field.jsonName}`,
      before: `${before}{"${field.jsonName}":`,
      after: `}${after}`,
      field,
    }
    if (field.message === undefined || field.fieldKind === 'map') return [place]
    const [open, close] = field.fieldKind === 'list' ? ['[', ']'] : ['', '']
    const inner = places(field.message, `${place.path}.`, place.before + open, close + place.after, [...above, desc])
    return [place, ...inner]
  })
}

function itemsOf(field: DescField): string[] {
  if (field.message === undefined)
    return field.enum === undefined ? ['""', '"a"'] : ['0', `"${field.enum.values[1]?.name}"`]
  const texts = field.message.fields.filter(
    ({ scalar, fieldKind }) => scalar === ScalarType.STRING && fieldKind !== 'list',
  )
  const full = texts.map(({ jsonName }) => `"${jsonName}":"aaaa"`).join(',')
  return ['{}', `{${full}}`, 'null']
}
