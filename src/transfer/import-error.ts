/** What is wrong with a line, which counts from 1. */
export interface LineFault {
  readonly line: number
  readonly fault: string
}

/** A file that cannot be imported. `line` counts from 1; it is absent if no single line is to blame. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  readonly line: number | undefined
  /** The message without the line. */
  readonly fault: string

  constructor(line: number | undefined, fault: string, cause?: unknown) {
    super(line === undefined ? fault : textOf({ line, fault }), { cause })
    this.line = line
    this.fault = fault
  }
}

/** The most lines that an error names. */
const MAX_NAMED_LINES = 20

/** The error of lines that only force may import, of which it names the first ones. */
export function refusal(faults: readonly LineFault[]): ImportError {
  const named = faults.slice(0, MAX_NAMED_LINES).map(textOf)
  const rest = faults.length - named.length
  const more = rest === 0 ? [] : [`and ${rest} more`]
  return new ImportError(
    undefined,
    [...named, ...more, 'Nothing was imported; use --force to import everything.'].join('\n'),
  )
}

function textOf({ line, fault }: LineFault): string {
  return `line ${line}: ${fault}`
}
