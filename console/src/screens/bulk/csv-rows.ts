import { type ParseError, parse } from 'papaparse'

/** A row of a file of separated values. */
export interface CsvRow {
  /** The line that it begins in; a cell may have several. */
  readonly line: number
  readonly cells: readonly string[]
}

/** `sep=;` in a line of its own, by which a spreadsheet says how it separates cells. */
const SEPARATOR = /^\ufeff?sep=(.)\r?\n/i

/** The separator that the first line has most of. */
function separatorOf(table: string): string {
  const [header = ''] = table.trimStart().split(/[\r\n]/, 1)
  const countIn = (separator: string) => header.split(separator).length
  return [',', ';', '\t'].toSorted((one, other) => countIn(other) - countIn(one))[0] ?? ','
}

/** Reads the rows that are not blank, and what is wrong with others; without a line that names it, the separator is found out. */
export function readRows(text: string): { readonly rows: readonly CsvRow[]; readonly faults: readonly string[] } {
  const named = SEPARATOR.exec(text)
  const table = named === null ? text : text.slice(named[0].length)
  const rows: CsvRow[] = []
  const faults: string[] = []
  let line = named === null ? 1 : 2
  let read = 0
  const take = (cells: readonly string[], errors: readonly ParseError[], end: number) => {
    // A line break at the very beginning belongs to the row before.
    const place = line
    line += (table.slice(read, end).match(/\r\n|\r|\n/g) ?? []).length
    read = end
    faults.push(...errors.map(({ message }) => `line ${place}: ${message}`))
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: place, cells })
  }
  parse<string[]>(table, {
    delimiter: named?.[1] ?? separatorOf(table),
    step: ({ data, errors, meta }) => take(data, errors, meta.cursor),
  })
  return { rows, faults }
}
