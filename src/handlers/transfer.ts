import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { ImportRecordsRequestSchema, RecordOutcome, type TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { refuseLimits } from '../limits/limit-check.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import { mapInSlices } from '../runtime/slices.js'
import { exportRecords, requireReading } from '../transfer/export-records.js'
import { type ImportedRecord, importForCaller } from '../transfer/import-for-caller.js'
import { createRecordReader } from '../transfer/record-reader.js'
import type { HandlerTools, Tally } from './handler-tools.js'
import { callContextOf } from './request-context.js'
import { countSkippedFields } from './user.js'

function resultToMessage(record: ImportedRecord, tally: Tally | undefined) {
  const { line, kind, id, outcome, fields, faults, changes } = record
  return {
    line,
    kind,
    id,
    outcome: RecordOutcome[outcome.toUpperCase() as Uppercase<typeof outcome>],
    changedFields: [...fields],
    faults: [...faults],
    ...countSkippedFields(changes, tally),
  }
}

export function createTransferHandlers({ limitCheck, tally }: HandlerTools): ServiceImpl<typeof TransferService> {
  const recordReader = createRecordReader(limitCheck)
  return {
    async importRecords({ records, validateOnly: isPlan }, context) {
      // How many there are; the limits of each are part of what becomes of it.
      const counted = create(ImportRecordsRequestSchema, { records: records.map(() => ({})) })
      refuseLimits(limitCheck(ImportRecordsRequestSchema, counted))
      const planned = await importForCaller(callContextOf(context), records, { recordReader, isPlan })
      return { data: await mapInSlices(planned, (record) => resultToMessage(record, isPlan ? undefined : tally)) }
    },
    async *exportRecords(_request, context) {
      const callContext = callContextOf(context)
      const records = exportRecords(callContext, callContext.caller.organizationId)
      for await (const json of requireReading(records, () => performance.now())) {
        yield preprintedMessage(ImportRecordSchema, [json])
      }
    },
  }
}
