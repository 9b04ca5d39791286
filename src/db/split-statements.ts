/**
 * One lexical element of SQL (PostgreSQL, "Lexical Structure"): comments, quoted texts and names, which may contain a
 * semicolon; words, which may contain a dollar; and single characters. Block comments, which nest, and dollar quotes,
 * which choose their closing mark, are matched only by their opening.
 */
const element =
  /--[^\n]*|\/\*|e'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'|'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*"|\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*|\s+|./gisuy
const blockCommentMark = /\/\*|\*\//g

/**
 * The statements of a script in order, each with the comments before it and without its semicolon. Bodies of functions
 * stay whole, even `BEGIN ATOMIC`. If the last quote or comment is never closed, it extends to the end.
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = []
  let start = 0
  /** Something other than blanks and comments has come since `start`. */
  let isBegun = false
  let parentheses = 0
  /** Open `BEGIN ATOMIC`s and `CASE`s, each of which has its `END`. */
  let blocks = 0
  let previousWord = ''

  const finish = (end: number) => {
    if (isBegun) statements.push(script.slice(start, end).trim())
    isBegun = false
  }
  for (let position = 0; position < script.length; ) {
    const end = endOfElement(script, position)
    const text = script.slice(position, end).toUpperCase()
    if (text === ';' && parentheses === 0 && blocks === 0) {
      finish(position)
      start = end
      previousWord = ''
    } else if (!/^(?:\s|--|\/\*)/.test(text)) {
      isBegun = true
      if (text === '(') parentheses++
      else if (text === ')') parentheses--
      else if (text === 'ATOMIC' && previousWord === 'BEGIN') blocks++
      else if (text === 'CASE' && blocks > 0) blocks++
      else if (text === 'END' && blocks > 0) blocks--
      previousWord = text
    }
    position = end
  }
  finish(script.length)
  return statements
}

function endOfElement(script: string, position: number): number {
  element.lastIndex = position
  const [text = ''] = element.exec(script) ?? []
  const end = position + text.length
  if (text === '/*') return endOfBlockComment(script, end)
  if (!/^\$.*\$$/su.test(text)) return end
  const closing = script.indexOf(text, end)
  return closing < 0 ? script.length : closing + text.length
}

/** Block comments nest. */
function endOfBlockComment(script: string, position: number): number {
  let depth = 1
  blockCommentMark.lastIndex = position
  while (depth > 0) {
    const mark = blockCommentMark.exec(script)
    if (mark === null) return script.length
    depth += mark[0] === '/*' ? 1 : -1
  }
  return blockCommentMark.lastIndex
}
