/** A file that cannot be imported. `line` counts from 1; it is absent if no single line is to blame. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  readonly line: number | undefined

  constructor(line: number | undefined, fault: string, cause?: unknown) {
    super(line === undefined ? fault : `line ${line}: ${fault}`, { cause })
    this.line = line
  }
}
