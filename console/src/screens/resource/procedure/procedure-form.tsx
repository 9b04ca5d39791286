import { create, equals } from '@bufbuild/protobuf'
import { useState } from 'react'
import {
  AccessPolicyApprovalProcedureService,
  type GetAccessPolicyApprovalProcedureResponse,
  type Stage,
  StageSchema,
  type Step,
} from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { durationText } from '../../../api/words.js'
import { Button } from '../../../ui/button.js'
import type { Change } from '../../../ui/change-table.js'
import { Dialog, DialogFoot } from '../../../ui/dialog.js'
import { DurationField } from '../../../ui/duration-field.js'
import { WriteDialog, type WriteSubject } from '../../../ui/write-dialog.js'
import { OrderButtons } from './order-buttons.js'
import styles from './procedures.module.css'
import { Steps } from './stages.js'
import { newStep, StepFields } from './step-fields.js'

const { createAccessPolicyApprovalProcedure, updateAccessPolicyApprovalProcedure } =
  AccessPolicyApprovalProcedureService.method
const DEFAULT_TIMEOUT_SECONDS = 30 * 86_400
const [MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS] = [300, 90 * 86_400]

interface ProcedureFormProps {
  readonly accessPolicyId: string
  /** What is changed; nothing, to create one. */
  readonly subject: WriteSubject<GetAccessPolicyApprovalProcedureResponse> | 'nothing'
  readonly onClose: () => void
}

/** Creates or changes a procedure: its stages and their steps, then what the request changes. */
export function ProcedureForm({ accessPolicyId, subject, onClose }: ProcedureFormProps) {
  const read = subject === 'nothing' ? undefined : subject.tagged.message
  const given = read?.data
  const [timeoutSeconds, setTimeoutSeconds] = useState(given?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS)
  const [stages, setStages] = useState<readonly Stage[]>(given?.stages ?? [newStage()])
  const [isReviewing, setReviewing] = useState(false)
  const title = given === undefined ? 'Create a procedure' : 'Change the procedure'
  const changes = (answer: GetAccessPolicyApprovalProcedureResponse | undefined): Change[] => {
    const before = answer?.data
    return [
      ...(before?.timeoutSeconds === timeoutSeconds
        ? []
        : [
            {
              label: 'Times out after',
              from: before && durationText(before.timeoutSeconds),
              to: durationText(timeoutSeconds),
            },
          ]),
      ...stageChanges(before?.stages ?? [], stages),
    ]
  }
  if (isReviewing) {
    const input = { accessPolicyId, timeoutSeconds, stages: [...stages] }
    const common = { title, subject, changes, isTyped: true, onClose: () => setReviewing(false), onDone: onClose }
    return given === undefined ? (
      <WriteDialog {...common} method={createAccessPolicyApprovalProcedure} input={input} confirm="Create" />
    ) : (
      <WriteDialog
        {...common}
        method={updateAccessPolicyApprovalProcedure}
        input={{ ...input, id: given.id }}
        confirm="Save"
      />
    )
  }
  const isEdited = given === undefined ? stages.length > 1 : changes(read).length > 0
  const why = faultIn(timeoutSeconds, stages) ?? (given && !isEdited ? 'Nothing is changed yet.' : undefined)
  const keyed = stages.map((stage, index) => ({ stage, index, key: `${index}` }))
  return (
    <Dialog title={title} look="wide" isTyped={isEdited} onClose={onClose}>
      <DurationField label="Each step times out after" seconds={timeoutSeconds} onChange={setTimeoutSeconds} />
      {keyed.map(({ stage, index, key }) => (
        <fieldset key={key} className={styles['stage']}>
          <legend>Stage {index + 1}</legend>
          <OrderButtons what={`stage ${index + 1}`} list={stages} at={index} onChange={setStages} />
          <StageFields number={index + 1} stage={stage} onChange={(next) => setStages(stages.with(index, next))} />
        </fieldset>
      ))}
      <div>
        <Button onClick={() => setStages([...stages, newStage()])}>Add a stage</Button>
      </div>
      <DialogFoot>
        <Button onClick={onClose}>{isEdited ? 'Discard changes' : 'Cancel'}</Button>
        <Button look="main" onClick={() => setReviewing(true)} why={why}>
          Review
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

interface StageFieldsProps {
  readonly number: number
  readonly stage: Stage
  readonly onChange: (stage: Stage) => void
}

function StageFields({ number, stage, onChange }: StageFieldsProps) {
  const { steps } = stage
  const setSteps = (next: Step[]) => onChange({ ...stage, steps: next })
  const keyed = steps.map((step, index) => ({ step, index, key: `${index}` }))
  return (
    <>
      {keyed.map(({ step, index, key }) => (
        <fieldset key={key} className={styles['step']}>
          <legend>
            Step {number}.{index + 1}
          </legend>
          <OrderButtons what={`step ${number}.${index + 1}`} list={steps} at={index} onChange={setSteps} />
          <StepFields step={step} onChange={(next) => setSteps(steps.with(index, next))} />
        </fieldset>
      ))}
      <div>
        <Button onClick={() => setSteps([...steps, newStep()])}>Add a parallel step</Button>
      </div>
    </>
  )
}

function newStage(): Stage {
  return create(StageSchema, { steps: [newStep()] })
}

function stageChanges(before: readonly Stage[], after: readonly Stage[]): Change[] {
  const places = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
  return places.flatMap((index) => {
    const [one, other] = [before[index], after[index]]
    if (one !== undefined && other !== undefined && equals(StageSchema, one, other)) return []
    return [{ label: `Stage ${index + 1}`, from: one && <Steps stage={one} />, to: other && <Steps stage={other} /> }]
  })
}

/** What is wrong with a procedure; undefined for nothing. */
function faultIn(timeoutSeconds: number, stages: readonly Stage[]): string | undefined {
  if (!(timeoutSeconds >= MIN_TIMEOUT_SECONDS && timeoutSeconds <= MAX_TIMEOUT_SECONDS)) {
    return 'A step times out after 5 minutes to 90 days.'
  }
  const steps = stages.flatMap((stage) => stage.steps)
  if (steps.some(({ customWorkflow }) => customWorkflow?.workflowId === '')) return 'Choose a workflow first.'
  const kinds = steps.flatMap(({ approvers }) => approvers.map(({ kind }) => kind))
  if (kinds.some((kind) => kind.case === 'user' && kind.value.userId === '')) return 'Choose a person first.'
  if (kinds.some((kind) => kind.case === 'group' && kind.value.groupId === '')) return 'Choose a group first.'
  return undefined
}
