import { create, fromJson } from '@bufbuild/protobuf'
import {
  type Approver,
  ApproverSchema,
  CustomWorkflowSchema,
  type Step,
  StepSchema,
} from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { type Kind, useUsed } from '../../../api/things.js'
import { Button } from '../../../ui/button.js'
import { CheckField } from '../../../ui/field.js'
import { Picker } from '../../../ui/picker.js'
import { Faults, type FieldFault, faultsAt } from '../field-faults.js'
import { Choice, Value } from '../slots.js'
import { OrderButtons } from './order-buttons.js'
import styles from './procedures.module.css'

const deciders = { people: 'People', workflow: 'A workflow' }
const reasons = { NONE: 'Is not asked for', OPTIONAL: 'Can be given', REQUIRED: 'Is required' }

const checks = {
  allowSelfApproval: 'Requesters may approve their own request',
  autoApproveSelf: 'Approved at once if the requester is an approver',
  suppressNotifications: 'Nobody is notified',
}

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
  const workflows = useUsed('workflowId')
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
        <Value
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
      {(Object.keys(checks) as (keyof typeof checks)[]).map((name) => (
        <CheckField
          key={name}
          label={checks[name]}
          checked={step[name] ?? true}
          onChange={(isOn) => set({ [name]: isOn })}
        />
      ))}
    </>
  )
}

/** A step that the manager of the requester decides. */
export function newStep(): Step {
  return create(StepSchema, { approvers: [newApprover()] })
}

/** What the kinds of approvers are called. */
export const approverWords = {
  manager: 'The manager of the requester',
  appOwner: 'The owner of the app',
  user: 'A person',
  group: 'Every member of a group',
} satisfies Readonly<Record<NonNullable<Approver['kind']['case']>, string>>

/** Those who are chosen, and the field that has their id. */
const named: Readonly<Record<string, { readonly label: string; readonly kind: Kind; readonly field: string }>> = {
  user: { label: 'Person', kind: 'people', field: 'userId' },
  group: { label: 'Group', kind: 'groups', field: 'groupId' },
}

interface ApproverFieldsProps {
  readonly approver: Approver
  readonly faults: readonly FieldFault[]
  readonly onChange: (approver: Approver) => void
}

/** Who may approve a step: one of the four kinds, and whether they are told of new requests. */
export function ApproverFields({ approver, faults, onChange }: ApproverFieldsProps) {
  const { kind, notify } = approver
  const setKind = (name: string, id = '') => onChange({ ...approver, kind: kindOf(name, id) })
  const of = kind.case && named[kind.case]
  return (
    <div className={styles['approver']}>
      <Choice label="Approver" value={kind.case ?? ''} words={approverWords} onChange={setKind} />
      {of && (
        <Picker
          label={of.label}
          kind={of.kind}
          value={String(Reflect.get(Object(kind.value), of.field))}
          fault={faultsAt(faultsAt(faults, kind.case ?? ''), of.field)[0]?.text}
          onChange={(id) => setKind(kind.case ?? '', id)}
        />
      )}
      <CheckField
        label="Is notified of new requests"
        checked={notify}
        onChange={(checked) => onChange({ ...approver, notify: checked })}
      />
    </div>
  )
}

/** The manager of the requester, which is what a new approver is. */
export function newApprover(): Approver {
  return create(ApproverSchema, { kind: kindOf('manager', ''), notify: true })
}

function kindOf(name: string, id: string): Approver['kind'] {
  const of = named[name]
  return fromJson(ApproverSchema, { [name]: of ? { [of.field]: id } : {} }).kind
}
