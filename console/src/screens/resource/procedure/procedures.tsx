import { useState } from 'react'
import { AccessPolicyApprovalProcedureService } from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { useWhyNot } from '../../../api/caller-context.js'
import { teamOf } from '../../../api/message.js'
import { usePages } from '../../../api/pages.js'
import { durationText, sentence } from '../../../api/words.js'
import { Badge, Button, Toolbar } from '../../../ui/button.js'
import { ReadFirst } from '../../../ui/read-first.js'
import { Panel } from '../../../ui/screen.js'
import { Empty } from '../../../ui/states.js'
import { WriteButton } from '../../../ui/write-button.js'
import type { PartProps } from '../declaration.js'
import { ProcedureForm } from './procedure-form.js'
import styles from './procedures.module.css'
import { Stages } from './stages.js'

const {
  getAccessPolicyApprovalProcedure: get,
  listAccessPolicyApprovalProcedures: list,
  createAccessPolicyApprovalProcedure: create,
  deleteAccessPolicyApprovalProcedure: remove,
} = AccessPolicyApprovalProcedureService.method

/** How access under a policy is approved: stages one after the other, each with steps side by side. */
export function Procedures({ id: accessPolicyId, item }: PartProps) {
  const [edited, setEdited] = useState<string>()
  const pages = usePages(list, { accessPolicyId })
  const why = useWhyNot(create, { teamId: teamOf(item) })
  const close = () => setEdited(undefined)
  // A procedure has no name of its own: its place tells it from others.
  const titled = pages.rows.map((procedure, index) => {
    return { procedure, title: pages.rows.length === 1 ? 'the procedure' : `procedure ${index + 1}` }
  })
  return (
    <Panel
      title="Approval procedures"
      actions={
        <Button onClick={() => setEdited('')} why={why}>
          Create a procedure
        </Button>
      }
      asked={[pages]}
    >
      {pages.rows.length === 0 && (
        <Empty title="No procedure">Nobody can approve access under this policy yet. Create a procedure.</Empty>
      )}
      {titled.map(({ procedure, title }) => (
        <article key={procedure.id} className={styles['procedure']}>
          <Toolbar>
            <h3>{sentence(title.replace('the ', ''))}</h3>
            <Badge>Times out after {durationText(procedure.timeoutSeconds)}</Badge>
            <Button look="quiet" why={why} onClick={() => setEdited(procedure.id)} label={`Edit ${title}`}>
              Edit
            </Button>
            <WriteButton
              look="quiet"
              title={`Delete ${title}`}
              method={remove}
              input={{ accessPolicyId, id: procedure.id }}
              first={{ method: get, input: { accessPolicyId, id: procedure.id } }}
              changes={() => [{ label: 'This procedure', from: sentence(title), to: 'Deleted for good' }]}
              confirm="Delete"
              isDangerous
              why={why}
            />
          </Toolbar>
          <Stages stages={procedure.stages} />
        </article>
      ))}
      {edited === '' && <ProcedureForm accessPolicyId={accessPolicyId} subject="nothing" onClose={close} />}
      {edited && (
        <ReadFirst title="Change the procedure" method={get} input={{ accessPolicyId, id: edited }} onClose={close}>
          {(subject) => <ProcedureForm accessPolicyId={accessPolicyId} subject={subject} onClose={close} />}
        </ReadFirst>
      )}
    </Panel>
  )
}
