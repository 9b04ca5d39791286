import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import papaparse from 'papaparse'
import { memberOf } from '../api/message.js'
import { kindOf } from '../api/things.js'
import { labelOf } from '../api/words.js'
import { draftOf, draftText } from './field-draft.js'

interface CsvColumn {
  readonly label: string
  readonly text: (row: Message) => string
}

/** Where a cell, or what some take for the next one, has what a spreadsheet would run or an upload read otherwise. */
const beginning = (sign: string) =>
  new RegExp(`(^|[;\\t\\r\\n])${sign}(?=[ ']*(?:[=@＝＠]|[+＋－-](?![\\d ().-]*$)|""$))`, 'g')
const [bare, guarded] = [beginning(''), beginning("'")]

/** Lines of a list as separated values, as spreadsheets read them: a column for each field, the first ones under their labels. */
export function csvOf(schema: DescMessage, rows: readonly Message[], areFirst: boolean): string {
  const columns = columnsOf(schema)
  const data = rows.map((row) => columns.map(({ text }) => text(row).replace(bare, "$1'")))
  const lines = papaparse.unparse({ fields: columns.map(({ label }) => label), data }, { header: areFirst })
  return areFirst ? `\ufeff${lines}` : `\r\n${lines}`
}

/** The text of a cell as it was before it was saved. */
export function withoutGuards(cell: string): string {
  return cell.replace(guarded, '$1')
}

/** The columns that a list is saved with. */
export function columnsOf(schema: DescMessage): CsvColumn[] {
  return schema.fields.flatMap((field) => {
    const label = `${labelOf(field.localName)}${kindOf(field.localName) ? ' ID' : ''}`
    if (field.fieldKind !== 'message' || isDate(field.message)) return { label, text: (row) => textOf(field, row) }
    return columnsOf(field.message).map((part) => ({
      label: `${label}: ${part.label}`,
      text: (row) => {
        const item = memberOf(row, field.localName)
        return item === undefined ? '' : part.text(item as Message)
      },
    }))
  })
}

function textOf(field: DescField, row: Message): string {
  const value = memberOf(row, field.localName)
  if (value === undefined) return ''
  if (field.fieldKind === 'message') {
    const { year, month, day } = value as { year?: number; month?: number; day?: number }
    return [year, month, day].map((part) => String(part).padStart(2, '0')).join('-')
  }
  const { message } = field
  if (message === undefined) return typeof value === 'string' ? value : draftText(field, draftOf(field, row))
  const columns = columnsOf(message)
  const sentences = (value as readonly Message[]).map((item) => columns.map(({ text }) => text(item)).filter(Boolean))
  return sentences.map((words) => words.join(' ')).join('; ')
}

function isDate({ name }: DescMessage): boolean {
  return name === 'Date'
}
