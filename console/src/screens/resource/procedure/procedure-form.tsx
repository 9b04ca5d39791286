import { create, equals, getOption } from '@bufbuild/protobuf'
import { useState } from 'react'
import {
  AccessPolicyApprovalProcedureService,
  type ApprovalProcedure,
  ApprovalProcedureSchema,
  type GetAccessPolicyApprovalProcedureResponse,
  type Stage,
  StageSchema,
  type Step,
} from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { limit } from '../../../../../gen/svc/v2/limit_pb.js'
import { FormMethod } from '../../../api/caller-context.js'
import { durationText } from '../../../api/words.js'
import { Button } from '../../../ui/button.js'
import type { Change } from '../../../ui/change-table.js'
import { Dialog } from '../../../ui/dialog.js'
import { DurationField } from '../../../ui/field.js'
import { WriteDialog, type WriteSubject } from '../../../ui/write-dialog.js'
import { Faults, type FieldFault, FormFoot, faultsAt, useFormFaults } from '../field-faults.js'
import { OrderButtons } from './order-buttons.js'
import styles from './procedures.module.css'
import { Steps } from './stages.js'
import { newStep, StepFields } from './step-fields.js'

const { createAccessPolicyApprovalProcedure, updateAccessPolicyApprovalProcedure } =
  AccessPolicyApprovalProcedureService.method
const { zeroIs: USUAL_TIMEOUT_SECONDS } = getOption(
  createAccessPolicyApprovalProcedure.input.field.timeoutSeconds,
  limit,
)
/** `steps` are those of all stages, which have a limit together. */
const FIELDS = ['timeoutSeconds', 'stages', 'steps']

interface ProcedureFormProps {
  readonly accessPolicyId: string
  /** What is changed; nothing, to create one. */
  readonly subject: WriteSubject<GetAccessPolicyApprovalProcedureResponse> | 'nothing'
  readonly onClose: () => void
}

/** Creates or changes a procedure: its stages and their steps, then what the request changes. */
export function ProcedureForm({ accessPolicyId, subject, onClose }: ProcedureFormProps) {
  const given = subject === 'nothing' ? undefined : subject.tagged.message.data
  const [first] = useState(() => given ?? create(ApprovalProcedureSchema, usual))
  const [timeoutSeconds, setTimeoutSeconds] = useState(first.timeoutSeconds)
  const [stages, setStages] = useState<readonly Stage[]>(first.stages)
  const title = given === undefined ? 'Create a procedure' : 'Change the procedure'
  const changesOf = (before?: ApprovalProcedure): Change[] => {
    const seconds = timeoutSeconds || USUAL_TIMEOUT_SECONDS
    const timeout = { from: before && durationText(before.timeoutSeconds), to: durationText(seconds) }
    const inStages = stageChanges(before?.stages ?? [], stages)
    return before?.timeoutSeconds === seconds ? inStages : [{ label: 'Times out after', ...timeout }, ...inStages]
  }
  const changes = (answer?: GetAccessPolicyApprovalProcedureResponse) => changesOf(answer?.data)
  const input = { accessPolicyId, timeoutSeconds, stages: [...stages], ...(given && { id: given.id }) }
  const steps = stages.flatMap((stage) => stage.steps)
  const request = create(createAccessPolicyApprovalProcedure.input, { ...input, steps })
  const form = useFormFaults(createAccessPolicyApprovalProcedure.input, request, { shown: FIELDS })
  const inStages = form.at('stages')
  if (form.isReviewing) {
    const common = { title, subject, changes, ...form.reviewed, onDone: onClose }
    return given === undefined ? (
      <WriteDialog {...common} method={createAccessPolicyApprovalProcedure} input={input} confirm="Create" />
    ) : (
      <WriteDialog {...common} method={updateAccessPolicyApprovalProcedure} input={input} confirm="Save" />
    )
  }
  const isEdited = changesOf(first).length > 0
  const why = given && !isEdited ? 'Nothing is changed yet.' : form.why
  const keyed = stages.map((stage, index) => ({ stage, index, key: `${index}` }))
  return (
    <FormMethod value={createAccessPolicyApprovalProcedure}>
      <Dialog title={title} look="wide" isTyped={isEdited} onClose={onClose}>
        <DurationField
          label="Each step times out after"
          hint={`Leave empty for ${durationText(USUAL_TIMEOUT_SECONDS)}.`}
          seconds={timeoutSeconds}
          fault={form.at('timeoutSeconds')[0]?.text}
          onChange={setTimeoutSeconds}
        />
        {keyed.map(({ stage, index, key }) => (
          <fieldset key={key} className={styles['stage']}>
            <legend>Stage {index + 1}</legend>
            <OrderButtons what={`stage ${index + 1}`} list={stages} at={index} onChange={setStages} />
            <StageFields
              number={index + 1}
              stage={stage}
              faults={faultsAt(inStages, index)}
              onChange={(next) => setStages(stages.with(index, next))}
            />
          </fieldset>
        ))}
        <Faults faults={(inStages.length > 0 ? inStages : form.at('steps')).filter(({ path }) => path.length === 0)} />
        <Button onClick={() => setStages([...stages, newStage()])}>Add a stage</Button>
        <FormFoot form={form} isTyped={isEdited} onClose={onClose} why={why} />
      </Dialog>
    </FormMethod>
  )
}

interface StageFieldsProps {
  readonly number: number
  readonly stage: Stage
  readonly faults: readonly FieldFault[]
  readonly onChange: (stage: Stage) => void
}

function StageFields({ number, stage, faults, onChange }: StageFieldsProps) {
  const { steps } = stage
  const inSteps = faultsAt(faults, 'steps')
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
          <StepFields
            step={step}
            faults={faultsAt(inSteps, index)}
            onChange={(next) => setSteps(steps.with(index, next))}
          />
        </fieldset>
      ))}
      <Faults faults={inSteps.filter(({ path }) => path.length === 0)} />
      <Button onClick={() => setSteps([...steps, newStep()])}>Add a parallel step</Button>
    </>
  )
}

const newStage = (): Stage => create(StageSchema, { steps: [newStep()] })

const usual = { timeoutSeconds: USUAL_TIMEOUT_SECONDS, stages: [newStage()] }

function stageChanges(before: readonly Stage[], after: readonly Stage[]): Change[] {
  const places = Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
  return places.flatMap((index) => {
    const [one, other] = [before[index], after[index]]
    if (one !== undefined && other !== undefined && equals(StageSchema, one, other)) return []
    return [{ label: `Stage ${index + 1}`, from: one && <Steps stage={one} />, to: other && <Steps stage={other} /> }]
  })
}
