/** A token of a path template: its kind, its text and the 1-based column where it starts. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly column: number
}

/** What a template is made of; `word` is a literal or an identifier; the parser distinguishes them, and adds `end`. */
export type TokenKind = '/' | '*' | '**' | '{' | '}' | '=' | ':' | 'word' | 'end'

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
export function scanTemplate(template: string): Token[] | TemplateFault {
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
