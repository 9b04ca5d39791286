import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { ImportRecordsRequestSchema, RecordOutcome, type TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { refuseLimits } from '../limits/limit-check.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import { exportRecords } from '../transfer/export-records.js'
import { importForCaller } from '../transfer/import-for-caller.js'
import type { PlannedRecord } from '../transfer/import-records.js'
import { createRecordReader } from '../transfer/record-reader.js'
import type { HandlerTools } from './handler-tools.js'
import { scopeOf } from './request-context.js'

const outcomeValues: Readonly<Record<PlannedRecord['outcome'], RecordOutcome>> = {
  created: RecordOutcome.CREATED,
  updated: RecordOutcome.UPDATED,
  unchanged: RecordOutcome.UNCHANGED,
  refused: RecordOutcome.REFUSED,
}

/** The service that imports and exports records. */
export function createTransferHandlers({ limitCheck }: HandlerTools): ServiceImpl<typeof TransferService> {
  const readRecord = createRecordReader(limitCheck)
  return {
    async importRecords({ records, validateOnly: isPlan }, context) {
      // How many there are; the limits of each are part of what becomes of it.
      const counted = create(ImportRecordsRequestSchema, { records: records.map(() => ({})) })
      refuseLimits(limitCheck(ImportRecordsRequestSchema, counted))
      const planned = await importForCaller(scopeOf(context), records, { readRecord, isPlan })
      const data = planned.map(({ line, kind, id, outcome, fields, faults }) => {
        return { line, kind, id, outcome: outcomeValues[outcome], changedFields: [...fields], faults: [...faults] }
      })
      return { data }
    },
    async *exportRecords(_request, context) {
      const scope = scopeOf(context)
      for await (const json of exportRecords(scope, scope.caller.organizationId)) {
        yield preprintedMessage(ImportRecordSchema, [json])
      }
    },
  }
}
