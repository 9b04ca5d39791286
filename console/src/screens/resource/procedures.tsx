import type { Message } from '@bufbuild/protobuf'
import { useTransport } from '@connectrpc/connect-query'
import { useState } from 'react'
import {
  AccessPolicyApprovalProcedureService,
  type ApprovalProcedure,
  type Approver,
  type Step,
} from '../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { callTagged } from '../../api/tagged.js'
import { durationText } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import { Panel } from '../../ui/screen.js'
import { Empty, FailureBox, Skeleton } from '../../ui/states.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { type ResourceDeclaration, teamOf } from './declaration.js'
import styles from './procedures.module.css'
import { ResourceForm } from './resource-form.js'

const {
  getAccessPolicyApprovalProcedure: get,
  listAccessPolicyApprovalProcedures: list,
  createAccessPolicyApprovalProcedure: create,
  updateAccessPolicyApprovalProcedure: update,
  deleteAccessPolicyApprovalProcedure: remove,
} = AccessPolicyApprovalProcedureService.method

/** Steps are left out of the form: stages say the same, and more. */
const declaration: ResourceDeclaration = {
  path: 'procedures',
  title: 'Approval procedures',
  one: 'approval procedure',
  list,
  get,
  create,
  update,
  remove,
  columns: [],
  hidden: ['steps'],
  replaces: true,
  empty: '',
}

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'remove'; readonly subject: WriteSubject<Message>; readonly id: string }

/** How access under a policy is approved: stages one after the other, each with steps side by side. */
export function Procedures({ id: accessPolicyId, item }: { readonly id: string; readonly item: Message }) {
  const [open, setOpen] = useState<Open>()
  const transport = useTransport()
  const pages = usePages(list, { accessPolicyId })
  const why = useWhyNot(create, { teamId: teamOf(item) })
  const close = () => setOpen(undefined)
  const openOne = async (kind: 'edit' | 'remove', id: string) => {
    const read = () => callTagged(transport, get, { accessPolicyId, id })
    setOpen({ kind, id, subject: { tagged: await read(), read } })
  }
  return (
    <Panel
      title="Approval procedures"
      actions={
        <Button onClick={() => setOpen({ kind: 'create' })} why={why}>
          Create a procedure
        </Button>
      }
    >
      {pages.isPending && <Skeleton lines={3} />}
      {pages.error && <FailureBox error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.isSuccess && pages.rows.length === 0 && (
        <Empty title="No procedure">Nobody can approve access under this policy yet. Create a procedure.</Empty>
      )}
      {pages.rows.map((procedure) => (
        <article key={procedure.id} className={styles['procedure']}>
          <Toolbar>
            <h3>{procedure.id}</h3>
            <Badge>Times out after {durationText(procedure.timeoutSeconds)}</Badge>
            <Button
              look="quiet"
              why={why}
              onClick={() => void openOne('edit', procedure.id)}
              label={`Edit ${procedure.id}`}
            >
              Edit
            </Button>
            <Button
              look="quiet"
              why={why}
              onClick={() => void openOne('remove', procedure.id)}
              label={`Delete ${procedure.id}`}
            >
              Delete
            </Button>
          </Toolbar>
          <Stages procedure={procedure} />
        </article>
      ))}
      {open?.kind === 'create' && (
        <ResourceForm declaration={declaration} fixed={{ accessPolicyId }} onClose={close} onDone={close} />
      )}
      {open?.kind === 'edit' && (
        <ResourceForm
          declaration={declaration}
          subject={open.subject}
          fixed={{ accessPolicyId }}
          onClose={close}
          onDone={close}
        />
      )}
      {open?.kind === 'remove' && (
        <WriteDialog
          title={`Delete ${open.id}`}
          method={remove}
          input={{ accessPolicyId, id: open.id }}
          subject={open.subject}
          changes={() => [{ label: 'This procedure', from: open.id, to: 'Gone, with nothing left of it' }]}
          confirm="Delete"
          isDangerous
          onClose={close}
          onDone={close}
        />
      )}
    </Panel>
  )
}

function Stages({ procedure }: { readonly procedure: ApprovalProcedure }) {
  const stages = procedure.stages.map((stage, index) => ({ stage, number: index + 1 }))
  return (
    <ol className={styles['stages']}>
      {stages.map(({ stage, number }) => (
        <li key={number} className={styles['stage']}>
          <h4>Stage {number}</h4>
          {stage.steps.map((step) => (
            <StepBox key={step.id} step={step} />
          ))}
        </li>
      ))}
    </ol>
  )
}

function StepBox({ step }: { readonly step: Step }) {
  const justification = step.approverJustificationMode
  const approvers = step.approvers.map((approver, index) => ({ approver, key: `${index}` }))
  return (
    <div className={styles['step']}>
      {step.customWorkflow ? (
        <p>Workflow {step.customWorkflow.workflowId}</p>
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
        {step.allowSelfApproval === false ? 'Nobody approves for themselves.' : 'May approve for themselves.'}{' '}
        {step.autoApproveSelf && 'Approves itself for an approver. '}
        {justification === 'REQUIRED' && 'A reason is required. '}
        {justification === 'OPTIONAL' && 'A reason can be given. '}
        {step.suppressNotifications && 'Nobody is notified.'}
      </p>
    </div>
  )
}

function ApproverName({ approver: { kind } }: { readonly approver: Approver }) {
  switch (kind.case) {
    case 'appOwner':
      return <>The owner of the app</>
    case 'manager':
      return <>The manager</>
    case 'user':
      return <PersonLink id={kind.value.userId} />
    case 'group':
      return <>Group {kind.value.groupId}</>
    case undefined:
      return <>Nobody</>
  }
}
