import type { Approver, Stage, Step } from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { PersonLink, ThingLink, WorkflowName } from '../../../api/things.js'
import { Badge } from '../../../ui/button.js'
import styles from './procedures.module.css'
import { approverWords } from './step-fields.js'

/** Stages one after the other, each with its steps. */
export function Stages({ stages }: { readonly stages: readonly Stage[] }) {
  const numbered = stages.map((stage, index) => ({ stage, number: index + 1 }))
  return (
    <ol className={styles['stages']}>
      {numbered.map(({ stage, number }) => (
        <li key={number} className={styles['stage']}>
          <h4>Stage {number}</h4>
          <Steps stage={stage} />
        </li>
      ))}
    </ol>
  )
}

/** The steps of a stage, which are decided side by side. */
export function Steps({ stage }: { readonly stage: Stage }) {
  const keyed = stage.steps.map((step, index) => ({ step, key: `${index}` }))
  return keyed.map(({ step, key }) => <StepBox key={key} step={step} />)
}

function StepBox({ step }: { readonly step: Step }) {
  const justification = step.approverJustificationMode
  const approvers = step.approvers.map((approver, index) => ({ approver, key: `${index}` }))
  return (
    <div className={styles['step']}>
      {step.customWorkflow ? (
        <p>
          The workflow <WorkflowName id={step.customWorkflow.workflowId} />
        </p>
      ) : (
        <ul>
          {approvers.map(({ approver, key }) => (
            <li key={key}>
              <ApproverName approver={approver} /> {approver.notify && <Badge>notified</Badge>}
            </li>
          ))}
        </ul>
      )}
      <p className={styles['notes']}>
        {step.allowSelfApproval === false
          ? 'Nobody approves their own request.'
          : 'Requesters may approve their own request.'}{' '}
        {step.autoApproveSelf && 'Approved at once if the requester is an approver. '}
        {justification === 'REQUIRED' && 'A reason is required. '}
        {justification === 'OPTIONAL' && 'A reason can be given. '}
        {!['', 'NONE', 'OPTIONAL', 'REQUIRED'].includes(justification) && `Reason: ${justification}. `}
        {step.suppressNotifications && 'Nobody is notified.'}
      </p>
    </div>
  )
}

function ApproverName({ approver: { kind } }: { readonly approver: Approver }) {
  if (kind.case === 'user') return <PersonLink id={kind.value.userId} />
  if (kind.case !== 'group') return kind.case ? approverWords[kind.case] : 'Nobody'
  return (
    <>
      Members of <ThingLink kind="groups" id={kind.value.groupId} />
    </>
  )
}
