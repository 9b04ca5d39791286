import { decodePercentBytes, encodePercentBytes } from './percent.js'

/**
 * One segment of a template: literal text in decoded form, one character per byte, `*` for one segment, or `**` for all
 * that follow.
 */
export type TemplateSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: '*' }
  | { readonly kind: '**' }

/** A variable: the field path it binds and the segments `[start, end)` it captures. */
export interface TemplateVariable {
  readonly fieldPath: readonly string[]
  readonly start: number
  readonly end: number
  /** Whether more or fewer than one segment can be captured; such values keep `%2F` encoded. */
  readonly multi: boolean
  /** 1-based column of the field path, for errors. */
  readonly column: number
}

/** A parsed path template with its variables flattened into segments; `verb` is decoded like a literal. */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[]
  readonly variables: readonly TemplateVariable[]
  readonly verb: string
}

/**
 * Parses a path template by the grammar of google/api/http.proto, or says where it does not fit:
 *
 *     Template  = "/" Segments [ Verb ] ;
 *     Segments  = Segment { "/" Segment } ;
 *     Segment   = "*" | "**" | LITERAL | Variable ;
 *     Variable  = "{" FieldPath [ "=" Segments ] "}" ;
 *     FieldPath = IDENT { "." IDENT } ;
 *     Verb      = ":" LITERAL ;
 *
 * `**` must be the last segment, variables do not nest, and a LITERAL is RFC 3986 pchar without `:` and `*`. The
 * first fault reads `column 7: expected "}", found the end of the template`.
 */
export function parseTemplate(text: string): PathTemplate | string {
  try {
    return parse(scan(text))
  } catch (error) {
    if (error instanceof TemplateFault) return error.message
    throw error
  }
}

/** Prints a template in canonical form: `{x}` for `{x=*}`, literals percent-encoded where they must be. */
export function templateToString(template: PathTemplate): string {
  const segments = template.segments.map((each) =>
    each.kind === 'literal' ? encodePercentBytes(each.text) : each.kind,
  )
  const parts: string[] = []
  let at = 0
  for (const { fieldPath, start, end } of template.variables) {
    const inner = segments.slice(start, end).join('/')
    const path = fieldPath.join('.')
    parts.push(...segments.slice(at, start), inner === '*' ? `{${path}}` : `{${path}=${inner}}`)
    at = end
  }
  parts.push(...segments.slice(at))
  return `/${parts.join('/')}${template.verb === '' ? '' : `:${encodePercentBytes(template.verb)}`}`
}

class TemplateFault extends Error {
  constructor(column: number, expected: string, found: string) {
    const shown = found === '' ? 'the end of the template' : JSON.stringify(found)
    super(`column ${column}: expected ${expected}, found ${shown}`)
  }
}

/** A token: its text, its 1-based column, and its kind: the text of a mark, or `word` for a literal or a field path. */
interface Token {
  readonly kind: string
  readonly text: string
  readonly column: number
}

// A mark, or pchar of RFC 3986 without the marks, or a character that no template has.
const TOKEN = /(\*\*|[*/{}=:])|((?:[A-Za-z0-9\-._~!$&'()+,;@]|%[0-9A-Fa-f]{2})+)|./gsu

function scan(template: string): Token[] {
  const tokens = [...template.matchAll(TOKEN)].map(({ 0: text, 1: mark, 2: word, index }) => {
    if (mark !== undefined || word !== undefined) return { kind: mark ?? 'word', text, column: index + 1 }
    const hint = text === '%' ? 'two hexadecimal digits after "%"' : 'a path character (percent-encode all others)'
    throw new TemplateFault(index + 1, hint, text)
  })
  return [...tokens, { kind: 'end', text: '', column: template.length + 1 }]
}

function parse(tokens: readonly Token[]): PathTemplate {
  let next = 0
  const segments: TemplateSegment[] = []
  const variables: TemplateVariable[] = []
  const end = tokens.at(-1) ?? { kind: 'end', text: '', column: 1 }
  const peek = (): Token => tokens[next] ?? end
  const take = (): Token => tokens[next++] ?? end

  function fail({ column, text }: Token, expected: string): never {
    throw new TemplateFault(column, expected, text)
  }

  function expect(kind: string, expected: string): void {
    const token = take()
    if (token.kind !== kind) fail(token, expected)
  }

  // "=" is a path character in a literal, and a token of its own only behind a field path.
  function literal(expected: string): string {
    const first = peek()
    let text = ''
    while (peek().kind === 'word' || peek().kind === '=') text += take().text
    if (text === '') fail(first, expected)
    return decodePercentBytes(text) ?? fail(first, expected)
  }

  function segment(inVariable: boolean): void {
    const token = peek()
    const previous = segments.at(-1)
    if (previous?.kind === '**') fail(token, 'the end of the path, because "**" must be its last segment')
    if (token.kind === '*' || token.kind === '**') {
      take()
      segments.push({ kind: token.kind })
    } else if (token.kind === '{' && !inVariable) {
      variable()
    } else {
      const expected = inVariable ? '"*", "**" or a literal' : '"*", "**", "{" or a literal'
      segments.push({ kind: 'literal', text: literal(expected) })
    }
  }

  function segmentList(inVariable: boolean): void {
    segment(inVariable)
    while (peek().kind === '/') {
      take()
      segment(inVariable)
    }
  }

  // A word is cut into its identifiers here, because a literal may contain dots as well.
  function fieldPath(): string[] {
    const word = peek().kind === 'word' ? take() : fail(peek(), 'a field path')
    let column = word.column
    const names = word.text.split('.')
    for (const name of names) {
      const good = IDENT.exec(name)?.[0] ?? ''
      if (good !== name || name === '') {
        const at = column - word.column + good.length
        const rest =
          at < word.text.length ? { ...word, text: word.text.charAt(at), column: column + good.length } : peek()
        fail(rest, good === '' ? 'an identifier' : '".", "=" or "}"')
      }
      column += name.length + 1
    }
    return names
  }

  function variable(): void {
    take()
    const { column } = peek()
    const path = fieldPath()
    const start = segments.length
    const equals = peek().kind === '='
    if (equals) {
      take()
      segmentList(true)
    } else {
      segments.push({ kind: '*' })
    }
    expect('}', equals ? '"/" or "}"' : '"=" or "}"')
    const multi = segments.length - start !== 1 || segments[start]?.kind === '**'
    variables.push({ fieldPath: path, start, end: segments.length, multi, column })
  }

  expect('/', '"/"')
  segmentList(false)
  let verb = ''
  if (peek().kind === ':') {
    take()
    verb = literal('a literal')
  }
  expect('end', verb === '' ? '"/", ":" or the end of the template' : 'the end of the template')
  return { segments, variables, verb }
}

const IDENT = /^[A-Za-z_][A-Za-z0-9_]*/
