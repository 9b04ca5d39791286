import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { type GroupMember, GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePersonName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { Button } from '../../ui/button.js'
import { PersonName } from '../../ui/person-name.js'
import { Picker } from '../../ui/picker.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { memberOf, nameOf } from './declaration.js'
import { MemberPanel, RowButton } from './member-panel.js'

const { listGroupMembers, addGroupMember, removeGroupMember } = GroupService.method
const PAGE_SIZE = 1_000

/** Who is in a group. What a directory manages is changed there. */
export function GroupMembers({ id: groupId, item }: { readonly id: string; readonly item: Message }) {
  const [adding, setAdding] = useState<string>()
  const [removing, setRemoving] = useState<GroupMember>()
  const pages = usePages(listGroupMembers, { groupId, pageSize: PAGE_SIZE })
  const noRight = useWhyNot(addGroupMember)
  const isManaged = memberOf(item, 'directoryManaged') === true
  const why = noRight ?? (isManaged ? 'A directory manages the group: change it there.' : undefined)
  const added = usePersonName(adding ?? '')
  const group = nameOf(item)
  return (
    <MemberPanel
      title="Members"
      pages={pages}
      add={
        <Button onClick={() => setAdding('')} why={why}>
          Add somebody
        </Button>
      }
      columns={[
        { label: 'Person', cell: ({ userId, ...member }) => <PersonName id={userId} {...member} /> },
        { label: 'Email', isMinor: true, cell: ({ email }) => email },
      ]}
      keyOf={({ userId }) => userId}
      textOf={({ name, email }) => `${name} ${email}`}
      actions={(member) => (
        <RowButton
          text="Remove"
          why={why}
          onClick={() => setRemoving(member)}
          label={`Remove ${callOf(member)} from ${group}`}
        />
      )}
      empty="Add somebody; whoever is in the group can approve what it is asked for."
    >
      {adding !== undefined && (
        <WriteDialog
          title={`Add somebody to ${group}`}
          method={addGroupMember}
          input={{ groupId, userId: adding }}
          changes={() => (adding === '' ? [] : [{ label: 'Members', to: added }])}
          confirm="Add"
          said={({ data }) => `${data ? callOf(data) : added} is in ${group} now.`}
          onClose={() => setAdding(undefined)}
          onDone={() => setAdding(undefined)}
        >
          <Picker label="Person" kind="people" value={adding} onChange={setAdding} />
        </WriteDialog>
      )}
      {removing !== undefined && (
        <WriteDialog
          title={`Remove ${callOf(removing)} from ${group}`}
          method={removeGroupMember}
          input={{ groupId, userId: removing.userId }}
          changes={() => [{ label: 'Members', from: callOf(removing), to: '' }]}
          confirm="Remove"
          said={() => `${callOf(removing)} is no longer in ${group}.`}
          isDangerous
          onClose={() => setRemoving(undefined)}
          onDone={() => setRemoving(undefined)}
        />
      )}
    </MemberPanel>
  )
}

/** What a member is called. */
function callOf({ name, email, userId }: GroupMember): string {
  return name || email || userId
}
