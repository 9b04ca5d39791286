import { v5 } from 'uuid'
import type { ApprovalProcedure } from '../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { topologyFrom } from '../../domain/access-policy-approval-procedure.js'
import { invalidField, invalidFields } from '../../errors.js'
import { DEFAULT_TIMEOUT_SECONDS } from '../../limits/known-limits.js'
import { idFault } from '../../limits/limit-words.js'
import { type Row, requireDistinct } from '../../store/resource/row.js'

/** Namespace of the ids (UUIDv5, RFC 9562) of steps that come without one: the same place always has the same id. */
const STEP_NAMESPACE = '6f2f6a3e-55b2-4a57-9d0b-3c1f5f3f7a4e'

/**
 * Fills in the timeout and returns the steps as rows, in order, each with its field. Throws a ServiceError if a rule is
 * broken (docs/resources.md).
 */
export function settleApprovalProcedure(procedure: ApprovalProcedure): Row {
  procedure.timeoutSeconds ||= DEFAULT_TIMEOUT_SECONDS
  const { steps, stages } = procedure
  const topology = topologyFrom({ steps, stages })
  const [violation] = topology.violations
  if (violation !== undefined) throw invalidFields([violation])
  const given = stages.length === 0 ? steps : stages.flatMap((stage) => stage.steps)
  const placed = topology.steps.map((step, index) => ({ ...step, id: given[index]?.id ?? '' }))
  const withIds = placed.filter(({ id }) => id !== '')
  for (const { id, path } of withIds) {
    const fault = idFault(id)
    if (fault !== undefined) throw invalidField(`${path}.id`, fault)
  }
  requireDistinct(
    withIds.map(({ id }) => id),
    (index) => `${withIds[index]?.path}.id`,
  )
  for (const [index, { id }] of steps.entries()) {
    const other = placed[index]?.id ?? ''
    if (id !== '' && other !== '' && id !== other) {
      throw invalidField(`steps[${index}].id`, `differs from ${placed[index]?.path}.id`, 'STEPS_DIFFER_FROM_STAGES')
    }
  }
  return {
    steps: placed.map(({ id, path, stageIndex, stepIndex, step }) => ({
      id: id || v5(`${procedure.id} ${stageIndex} ${stepIndex}`, STEP_NAMESPACE),
      field: path,
      stageIndex,
      stepIndex,
      ...step,
    })),
  }
}
