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

/** The outcome of parsing: a template, or the first fault. */
export type TemplateResult =
  | { readonly ok: true; readonly template: PathTemplate }
  | { readonly ok: false; readonly fault: TemplateFault }

/**
 * Parses a path template by the grammar of google/api/http.proto:
 *
 *     Template  = "/" Segments [ Verb ] ;
 *     Segments  = Segment { "/" Segment } ;
 *     Segment   = "*" | "**" | LITERAL | Variable ;
 *     Variable  = "{" FieldPath [ "=" Segments ] "}" ;
 *     FieldPath = IDENT { "." IDENT } ;
 *     Verb      = ":" LITERAL ;
 *
 * `**` must be the last segment, a variable holds no variable, and a LITERAL is RFC 3986 pchar without `:` and `*`.
 */
export function parseTemplate(text: string): TemplateResult {
  const tokens = scanTemplate(text)
  if (!Array.isArray(tokens)) return { ok: false, fault: tokens }
  try {
    return { ok: true, template: createParser(tokens, text.length + 1).template() }
  } catch (error) {
    if (error instanceof FaultSignal) return { ok: false, fault: error.fault }
    throw error
  }
}

/** The text of a fault: `column 7: expected "}", found end of template`. */
export function templateFaultToString(fault: TemplateFault): string {
  return `column ${fault.column}: expected ${fault.expected}, found ${fault.found}`
}

/** Prints a template in canonical form: `{x}` for `{x=*}`, literals percent-encoded where they must be. */
export function templateToString(template: PathTemplate): string {
  const segments = template.segments.map(segmentToString)
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

function segmentToString(segment: TemplateSegment): string {
  return segment.kind === 'literal' ? encodePercentBytes(segment.text) : segment.kind
}

class FaultSignal extends Error {
  readonly fault: TemplateFault
  constructor(fault: TemplateFault) {
    super(templateFaultToString(fault))
    this.fault = fault
  }
}

const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y

function createParser(tokens: readonly Token[], endColumn: number): { template(): PathTemplate } {
  let next = 0
  const segments: TemplateSegment[] = []
  const variables: TemplateVariable[] = []
  const end: Token = { kind: 'end', text: '', column: endColumn }
  const peek = (): Token => tokens[next] ?? end
  const take = (): Token => tokens[next++] ?? end

  function fail(token: Token, expected: string): never {
    const found = token.text === '' ? 'the end of the template' : JSON.stringify(token.text)
    throw new FaultSignal({ column: token.column, expected, found })
  }

  function expect(kind: Token['kind'], expected: string): Token {
    const token = take()
    return token.kind === kind ? token : fail(token, expected)
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
      segments.push({ kind: take().kind === '*' ? '*' : '**' })
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

  // A word is cut into its identifiers here, because a literal may hold dots as well.
  function fieldPath(): string[] {
    const word = peek().kind === 'word' ? take() : fail(peek(), 'a field path')
    const failAt = (at: number, expected: string): never =>
      fail(at < word.text.length ? { ...word, text: word.text.charAt(at), column: word.column + at } : peek(), expected)
    const names: string[] = []
    for (let at = 0; ; at++) {
      IDENT.lastIndex = at
      const name = IDENT.exec(word.text)?.[0] ?? failAt(at, 'an identifier')
      names.push(name)
      at += name.length
      if (at === word.text.length) return names
      if (word.text[at] !== '.') failAt(at, '".", "=" or "}"')
    }
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

  function template(): PathTemplate {
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

  return { template }
}

/** A token of a path template: its kind, its text and the 1-based column where it starts. */
interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly column: number
}

/** What a template is made of; `word` is a literal or an identifier; the parser distinguishes them, and adds `end`. */
type TokenKind = '/' | '*' | '**' | '{' | '}' | '=' | ':' | 'word' | 'end'

/** A template that does not fit the grammar: the 1-based column and what was expected there. */
export interface TemplateFault {
  readonly column: number
  readonly expected: string
  readonly found: string
}

// pchar of RFC 3986 without ":", "*" and "=", which are tokens of their own.
const WORD = /(?:[A-Za-z0-9\-._~!$&'()+,;@]|%[0-9A-Fa-f]{2})+/y
const PUNCTUATION = ['**', '*', '/', '{', '}', '=', ':'] as const

/** Splits a path template into tokens; a character outside the grammar is a fault. */
function scanTemplate(template: string): Token[] | TemplateFault {
  const tokens: Token[] = []
  let at = 0
  while (at < template.length) {
    const mark = PUNCTUATION.find((text) => template.startsWith(text, at))
    if (mark !== undefined) {
      tokens.push({ kind: mark, text: mark, column: at + 1 })
      at += mark.length
      continue
    }
    WORD.lastIndex = at
    const word = WORD.exec(template)?.[0]
    if (word === undefined) {
      const expected =
        template[at] === '%' ? 'two hexadecimal digits after "%"' : 'a path character (percent-encode all others)'
      return { column: at + 1, expected, found: JSON.stringify(String.fromCodePoint(template.codePointAt(at) ?? 0)) }
    }
    tokens.push({ kind: 'word', text: word, column: at + 1 })
    at += word.length
  }
  return tokens
}
