import { create } from '@bufbuild/protobuf'
import {
  type Approver,
  Approver_AppOwnerSchema,
  Approver_GroupSchema,
  Approver_ManagerSchema,
  Approver_UserSchema,
  ApproverSchema,
} from '../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { CheckField, SelectField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import styles from './procedures.module.css'

type ApproverKind = NonNullable<Approver['kind']['case']>

const kinds: readonly { readonly value: ApproverKind; readonly text: string }[] = [
  { value: 'manager', text: 'The manager of the requester' },
  { value: 'appOwner', text: 'The owner of the app' },
  { value: 'user', text: 'A person' },
  { value: 'group', text: 'Every member of a group' },
]

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
      <SelectField label="Approver" value={kind.case ?? ''} options={kinds} onChange={setKind} />
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
