import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { Button } from '../../ui/button.js'
import { PersonField } from '../../ui/person-field.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { memberOf } from './declaration.js'
import { MemberPanel } from './member-panel.js'

const { listGroupMembers, addGroupMember, removeGroupMember } = GroupService.method
const PAGE_SIZE = 1_000

/** Who is in a group. What a directory manages is changed there. */
export function GroupMembers({ id: groupId, item }: { readonly id: string; readonly item: Message }) {
  const [adding, setAdding] = useState<string>()
  const [removing, setRemoving] = useState<string>()
  const pages = usePages(listGroupMembers, { groupId, pageSize: PAGE_SIZE })
  const noRight = useWhyNot(addGroupMember)
  const isManaged = memberOf(item, 'directoryManaged') === true
  const why = noRight ?? (isManaged ? 'A directory manages the group: change it there.' : undefined)
  return (
    <MemberPanel
      title="Members"
      pages={pages}
      add={
        <Button onClick={() => setAdding('')} why={why}>
          Add somebody
        </Button>
      }
      columns={[{ label: 'Person', cell: ({ userId }) => <PersonLink id={userId} /> }]}
      keyOf={({ userId }) => userId}
      actions={({ userId }) => (
        <Button look="quiet" why={why} onClick={() => setRemoving(userId)} label={`Remove ${userId}`}>
          Remove
        </Button>
      )}
      empty="The group has no members. Add somebody; whoever is in it can approve what it is asked for."
    >
      {adding !== undefined && (
        <WriteDialog
          title="Add somebody to the group"
          method={addGroupMember}
          input={{ groupId, userId: adding }}
          changes={() => (adding === '' ? [] : [{ label: 'Members', to: adding }])}
          confirm="Add"
          onClose={() => setAdding(undefined)}
          onDone={() => setAdding(undefined)}
        >
          <PersonField label="Person" value={adding} onChange={setAdding} />
        </WriteDialog>
      )}
      {removing !== undefined && (
        <WriteDialog
          title="Remove somebody from the group"
          method={removeGroupMember}
          input={{ groupId, userId: removing }}
          changes={() => [{ label: 'Members', from: removing, to: '' }]}
          confirm="Remove"
          isDangerous
          onClose={() => setRemoving(undefined)}
          onDone={() => setRemoving(undefined)}
        />
      )}
    </MemberPanel>
  )
}
