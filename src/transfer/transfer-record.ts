import type { ImportRecord } from '../../gen/svc/v2/import_record_pb.js'
import type { RecordKind } from '../store/transfer/record-kind.js'

/** One record with its kind: the member of `svc.v2.ImportRecord` that a line has. */
export type TransferRecord = Extract<ImportRecord['resource'], { readonly case: RecordKind }>

/** A line: a record, and its organization where the line says which. */
export type TransferLine = ImportRecord & { readonly resource: TransferRecord }

/** The message of a kind. */
export type RecordOf<Kind extends RecordKind> = Extract<TransferRecord, { readonly case: Kind }>['value']
