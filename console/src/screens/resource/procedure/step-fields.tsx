import { create } from '@bufbuild/protobuf'
import {
  CustomWorkflowSchema,
  type Step,
  StepSchema,
} from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { useNamed } from '../../../api/things.js'
import { Button } from '../../../ui/button.js'
import { CheckField, TextField } from '../../../ui/field.js'
import { Faults, type FieldFault, faultsAt } from '../field-faults.js'
import { Choice } from '../slots.js'
import { ApproverFields, newApprover } from './approver-fields.js'
import { OrderButtons } from './order-buttons.js'
import styles from './procedures.module.css'

const deciders = { people: 'People', workflow: 'A workflow' }
const reasons = { NONE: 'Is not asked for', OPTIONAL: 'Can be given', REQUIRED: 'Is required' }

interface StepFieldsProps {
  readonly step: Step
  readonly faults: readonly FieldFault[]
  readonly onChange: (step: Step) => void
}

/** One decision: who makes it, and how. */
export function StepFields({ step, faults, onChange }: StepFieldsProps) {
  const set = (changes: Partial<Step>) => onChange({ ...step, ...changes })
  const { approvers, customWorkflow } = step
  const inApprovers = faultsAt(faults, 'approvers')
  const { workflows } = useNamed()
  const setDecider = (value: string) => {
    const { customWorkflow: _, ...rest } = step
    if (value === 'people') onChange({ ...rest, approvers: [newApprover()] })
    else onChange({ ...rest, approvers: [], customWorkflow: create(CustomWorkflowSchema) })
  }
  const keyed = approvers.map((approver, index) => ({ approver, index, key: `${index}` }))
  return (
    <>
      <Choice
        label="Decided by"
        value={customWorkflow === undefined ? 'people' : 'workflow'}
        words={deciders}
        onChange={setDecider}
      />
      {customWorkflow && (
        <TextField
          label="Workflow"
          value={customWorkflow.workflowId}
          fault={faultsAt(faultsAt(faults, 'customWorkflow'), 'workflowId')[0]?.text}
          known={workflows}
          onChange={(workflowId) => set({ customWorkflow: { ...customWorkflow, workflowId } })}
        />
      )}
      {keyed.map(({ approver, index, key }) => (
        <div key={key} className={styles['row']}>
          <ApproverFields
            approver={approver}
            faults={faultsAt(inApprovers, index)}
            onChange={(next) => set({ approvers: approvers.with(index, next) })}
          />
          <OrderButtons
            what={`approver ${index + 1}`}
            list={approvers}
            at={index}
            onChange={(next) => set({ approvers: next })}
          />
        </div>
      ))}
      {customWorkflow === undefined && (
        <div className={styles['row']}>
          <Button onClick={() => set({ approvers: [...approvers, newApprover()] })}>Add an approver</Button>
          <Faults faults={[...faults, ...inApprovers].filter(({ path }) => path.length === 0)} />
        </div>
      )}
      <Choice
        label="A reason"
        value={step.approverJustificationMode || 'NONE'}
        fault={faultsAt(faults, 'approverJustificationMode')[0]?.text}
        words={reasons}
        onChange={(approverJustificationMode) => set({ approverJustificationMode })}
      />
      <CheckField
        label="Requesters may approve their own request"
        checked={step.allowSelfApproval ?? true}
        onChange={(allowSelfApproval) => set({ allowSelfApproval })}
      />
      <CheckField
        label="Approved at once if the requester is an approver"
        checked={step.autoApproveSelf}
        onChange={(autoApproveSelf) => set({ autoApproveSelf })}
      />
      <CheckField
        label="Nobody is notified"
        checked={step.suppressNotifications}
        onChange={(suppressNotifications) => set({ suppressNotifications })}
      />
    </>
  )
}

/** A step that the manager of the requester decides. */
export function newStep(): Step {
  return create(StepSchema, { approvers: [newApprover()] })
}
