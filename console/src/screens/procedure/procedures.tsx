import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { AccessPolicyApprovalProcedureService } from '../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { durationText } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import { ReadFirst } from '../../ui/read-first.js'
import { Panel } from '../../ui/screen.js'
import { Answered, Empty } from '../../ui/states.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { teamOf } from '../resource/declaration.js'
import { ProcedureForm } from './procedure-form.js'
import styles from './procedures.module.css'
import { Stages } from './stages.js'

const {
  getAccessPolicyApprovalProcedure: get,
  listAccessPolicyApprovalProcedures: list,
  createAccessPolicyApprovalProcedure: create,
  deleteAccessPolicyApprovalProcedure: remove,
} = AccessPolicyApprovalProcedureService.method

type Open = { readonly kind: 'create' } | { readonly kind: 'edit' | 'remove'; readonly id: string }

/** How access under a policy is approved: stages one after the other, each with steps side by side. */
export function Procedures({ id: accessPolicyId, item }: { readonly id: string; readonly item: Message }) {
  const [open, setOpen] = useState<Open>()
  const pages = usePages(list, { accessPolicyId })
  const why = useWhyNot(create, { teamId: teamOf(item) })
  const close = () => setOpen(undefined)
  // A procedure has no name of its own: its place tells it from others.
  const titleOf = (procedureId: string) =>
    pages.rows.length === 1 ? 'Procedure' : `Procedure ${pages.rows.findIndex((each) => each.id === procedureId) + 1}`
  const inSentence = (text: string) => (text === 'Procedure' ? 'the procedure' : text.toLowerCase())
  return (
    <Panel
      title="Approval procedures"
      actions={
        <Button onClick={() => setOpen({ kind: 'create' })} why={why}>
          Create a procedure
        </Button>
      }
    >
      {(pages.isPending || pages.error) && <Answered asked={[pages]}>{null}</Answered>}
      {pages.isSuccess && pages.rows.length === 0 && (
        <Empty title="No procedure">Nobody can approve access under this policy yet. Create a procedure.</Empty>
      )}
      {pages.rows.map((procedure) => (
        <article key={procedure.id} className={styles['procedure']}>
          <Toolbar>
            <h3>{titleOf(procedure.id)}</h3>
            <Badge>Times out after {durationText(procedure.timeoutSeconds)}</Badge>
            <Button
              look="quiet"
              why={why}
              onClick={() => setOpen({ kind: 'edit', id: procedure.id })}
              label={`Edit ${inSentence(titleOf(procedure.id))}`}
            >
              Edit
            </Button>
            <Button
              look="quiet"
              why={why}
              onClick={() => setOpen({ kind: 'remove', id: procedure.id })}
              label={`Delete ${inSentence(titleOf(procedure.id))}`}
            >
              Delete
            </Button>
          </Toolbar>
          <Stages stages={procedure.stages} />
        </article>
      ))}
      {open?.kind === 'create' && <ProcedureForm accessPolicyId={accessPolicyId} subject="nothing" onClose={close} />}
      {open !== undefined && open.kind !== 'create' && (
        <ReadFirst title={titleOf(open.id)} method={get} input={{ accessPolicyId, id: open.id }} onClose={close}>
          {(subject) =>
            open.kind === 'edit' ? (
              <ProcedureForm accessPolicyId={accessPolicyId} subject={subject} onClose={close} />
            ) : (
              <WriteDialog
                title={`Delete ${inSentence(titleOf(open.id))}`}
                method={remove}
                input={{ accessPolicyId, id: open.id }}
                subject={subject}
                changes={() => [
                  { label: 'This procedure', from: titleOf(open.id), to: 'Gone, with nothing left of it' },
                ]}
                confirm="Delete"
                isDangerous
                onClose={close}
                onDone={close}
              />
            )
          }
        </ReadFirst>
      )}
    </Panel>
  )
}
