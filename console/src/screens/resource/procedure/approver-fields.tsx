import { create, fromJson } from '@bufbuild/protobuf'
import { type Approver, ApproverSchema } from '../../../../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { Kind } from '../../../api/things.js'
import { CheckField } from '../../../ui/field.js'
import { Picker } from '../../../ui/picker.js'
import { type FieldFault, faultsAt } from '../field-faults.js'
import { Choice } from '../slots.js'
import styles from './procedures.module.css'

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
  const of = named[name]
  return fromJson(ApproverSchema, { [name]: of ? { [of.field]: id } : {} }).kind
}
