import { create } from '@bufbuild/protobuf'
import {
  type Approver,
  Approver_AppOwnerSchema,
  Approver_GroupSchema,
  Approver_ManagerSchema,
  Approver_UserSchema,
  ApproverSchema,
} from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { CheckField } from '../../../ui/field.js'
import { Picker } from '../../../ui/picker.js'
import { Choice } from '../slots.js'
import styles from './procedures.module.css'

/** What the kinds of approvers are called. */
export const approverWords = {
  manager: 'The manager of the requester',
  appOwner: 'The owner of the app',
  user: 'A person',
  group: 'Every member of a group',
} satisfies Readonly<Record<NonNullable<Approver['kind']['case']>, string>>

interface ApproverFieldsProps {
  readonly approver: Approver
  readonly onChange: (approver: Approver) => void
}

/** Who may approve a step: one of the four kinds, and whether they are told of new requests. */
export function ApproverFields({ approver, onChange }: ApproverFieldsProps) {
  const { kind, notify } = approver
  const setKind = (name: string, id = '') => onChange({ ...approver, kind: kindOf(name, id) })
  return (
    <div className={styles['approver']}>
      <Choice label="Approver" value={kind.case ?? ''} words={approverWords} onChange={setKind} />
      {kind.case === 'user' && (
        <Picker label="Person" kind="people" value={kind.value.userId} onChange={(id) => setKind('user', id)} />
      )}
      {kind.case === 'group' && (
        <Picker label="Group" kind="groups" value={kind.value.groupId} onChange={(id) => setKind('group', id)} />
      )}
      <CheckField
        label="Is told of new requests"
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
  switch (name) {
    case 'user':
      return { case: 'user', value: create(Approver_UserSchema, { userId: id }) }
    case 'group':
      return { case: 'group', value: create(Approver_GroupSchema, { groupId: id }) }
    case 'appOwner':
      return { case: 'appOwner', value: create(Approver_AppOwnerSchema) }
    default:
      return { case: 'manager', value: create(Approver_ManagerSchema) }
  }
}
