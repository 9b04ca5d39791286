import type { AppInstanceRecord } from '../../gen/svc/v2/import_record_pb.js'
import type { SlaDefinition } from '../../gen/svc/v2/sla_definition_pb.js'
import { newScopedId } from '../domain/standard-resource.js'
import { invalidField } from '../errors.js'
import type { Runtime } from '../runtime/runtime.js'
import type { Row } from '../store/resource/row.js'
import type { RecordKind } from '../store/transfer/kind.js'
import { settleApprovalProcedure } from './record/approval-procedure.js'
import { settleJourney } from './record/journey.js'
import { settleUser } from './record/user.js'
import type { RecordOf, TransferRecord } from './record-reader.js'

/**
 * Checks what the limits of the schema cannot express, brings values into their stored form, and returns values to
 * store that are in no field of the record. Throws a ServiceError that names the field at fault.
 */
type Settle<Kind extends RecordKind> = (record: RecordOf<Kind>, runtime: Runtime) => Row | undefined

const settlers: { readonly [Kind in RecordKind]?: Settle<Kind> } = {
  organization: (organization) => {
    organization.region ||= 'us'
  },
  user: settleUser,
  approvalProcedure: settleApprovalProcedure,
  appInstance: requireForeignShares,
  appResource: ({ scopedId }, runtime) => ({ newScopedId: scopedId === '' ? newScopedId('ares', runtime) : null }),
  priority: ({ scopedId }, runtime) => ({ newScopedId: scopedId === '' ? newScopedId('pri', runtime) : null }),
  journey: settleJourney,
  slaDefinition: settleParts,
}

export function settleRecord({ case: kind, value }: TransferRecord, runtime: Runtime): Row | undefined {
  const settle = settlers[kind] as Settle<typeof kind> | undefined
  return settle?.(value as never, runtime)
}

function requireForeignShares({ teamId, sharedWithTeamIds }: AppInstanceRecord): undefined {
  const own = sharedWithTeamIds.indexOf(teamId)
  if (own !== -1) throw invalidField(`sharedWithTeamIds[${own}]`, 'already owns the app instance: omit it')
}

/** Parts may name the definition that they belong to, and no other. Those without an id get one. */
function settleParts({ id, conditions, actionDefinitions }: SlaDefinition, { newId }: Runtime): undefined {
  for (const [list, parts] of Object.entries({ conditions, actionDefinitions })) {
    for (const part of parts) part.id ||= newId()
    const foreign = parts.findIndex(({ slaDefinitionId }) => slaDefinitionId !== '' && slaDefinitionId !== id)
    if (foreign !== -1)
      throw invalidField(`${list}[${foreign}].slaDefinitionId`, 'must be the id of this SLA definition')
  }
}
