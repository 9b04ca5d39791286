import { create } from '@bufbuild/protobuf'
import {
  CustomWorkflowSchema,
  type Step,
  StepSchema,
} from '../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { useNamed } from '../../api/things.js'
import { Button } from '../../ui/button.js'
import { CheckField, SelectField, TextField } from '../../ui/field.js'
import { ApproverFields, newApprover } from './approver-fields.js'
import { replacedAt } from './list-edits.js'
import { OrderButtons } from './order-buttons.js'
import styles from './procedures.module.css'

const deciders = [
  { value: 'people', text: 'People' },
  { value: 'workflow', text: 'A workflow' },
]
const reasons = [
  { value: 'NONE', text: 'Is not asked for' },
  { value: 'OPTIONAL', text: 'Can be given' },
  { value: 'REQUIRED', text: 'Is required' },
]

/** The modes that the console names, and the one that a step has. */
function reasonsWith(mode: string) {
  const isNamed = mode === '' || reasons.some(({ value }) => value === mode)
  return isNamed ? reasons : [...reasons, { value: mode, text: mode }]
}

interface StepFieldsProps {
  readonly step: Step
  readonly onChange: (step: Step) => void
}

/** One decision: who makes it, and how. */
export function StepFields({ step, onChange }: StepFieldsProps) {
  const set = (changes: Partial<Step>) => onChange({ ...step, ...changes })
  const { approvers, customWorkflow } = step
  const { workflows } = useNamed()
  const setDecider = (value: string) => {
    const { customWorkflow: _, ...rest } = step
    if (value === 'people') onChange({ ...rest, approvers: [newApprover()] })
    else onChange({ ...rest, approvers: [], customWorkflow: create(CustomWorkflowSchema) })
  }
  const keyed = approvers.map((approver, index) => ({ approver, index, key: `${index}` }))
  return (
    <>
      <SelectField
        label="Decided by"
        value={customWorkflow === undefined ? 'people' : 'workflow'}
        options={deciders}
        onChange={setDecider}
      />
      {customWorkflow && (
        <TextField
          label="Workflow"
          value={customWorkflow.workflowId}
          known={workflows}
          onChange={(workflowId) => set({ customWorkflow: { ...customWorkflow, workflowId } })}
        />
      )}
      {keyed.map(({ approver, index, key }) => (
        <div key={key} className={styles['row']}>
          <ApproverFields
            approver={approver}
            onChange={(next) => set({ approvers: replacedAt(approvers, index, next) })}
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
        </div>
      )}
      <SelectField
        label="A reason"
        value={step.approverJustificationMode || 'NONE'}
        options={reasonsWith(step.approverJustificationMode)}
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
