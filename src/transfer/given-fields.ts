import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import type { TransferLine } from './transfer-record.js'

/** The local names of the fields that a line, which has been read, gives its record: `null` gives nothing. */
export function givenFields(text: string, { resource }: TransferLine): ReadonlySet<string> {
  const member = ImportRecordSchema.field[resource.case]
  if (member?.message === undefined) throw new Error(`an import record has no ${resource.case}`)
  const line: Record<string, Record<string, unknown>> = JSON.parse(text)
  const given = line[member.jsonName] ?? line[member.name] ?? {}
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== null
  return new Set(
    member.message.fields.flatMap(({ localName, jsonName, name }) =>
      isGiven(jsonName) || isGiven(name) ? localName : [],
    ),
  )
}
