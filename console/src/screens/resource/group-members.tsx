import { useState } from 'react'
import { GroupService } from '../../../../gen/svc/v2/group_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { memberOf, nameOf } from '../../api/message.js'
import { usePersonName } from '../../api/things.js'
import { PersonName } from '../../ui/person-name.js'
import { Picker } from '../../ui/picker.js'
import { WriteButton } from '../../ui/write-button.js'
import type { PartProps } from './declaration.js'
import { MemberPanel, useSearchedPages } from './member-panel.js'

const { listGroupMembers, addGroupMember, removeGroupMember } = GroupService.method

/** Who is in a group. What a directory manages is changed there. */
export function GroupMembers({ id: groupId, item }: PartProps) {
  const [chosen, setChosen] = useState('')
  const pages = useSearchedPages(listGroupMembers, { groupId })
  const noRight = useWhyNot(addGroupMember)
  const isManaged = memberOf(item, 'directoryManaged') === true
  const why = noRight ?? (isManaged ? 'A directory manages the group: change it there.' : undefined)
  const added = usePersonName(chosen)
  const group = nameOf(item)
  return (
    <MemberPanel
      title="Members"
      pages={pages}
      add={
        <WriteButton
          text="Add somebody"
          title={`Add somebody to ${group}`}
          method={addGroupMember}
          input={{ groupId, userId: chosen }}
          changes={() => (chosen === '' ? [] : [{ label: 'Members', to: added }])}
          confirm="Add"
          said={({ data }) => `${data ? nameOf(data) : added} is in ${group} now.`}
          why={why}
          onClose={() => setChosen('')}
        >
          <Picker label="Person" kind="people" value={chosen} onChange={setChosen} />
        </WriteButton>
      }
      columns={[
        { label: 'Person', cell: (member) => <PersonName person={member} /> },
        { label: 'Email', isMinor: true, cell: ({ email }) => email },
      ]}
      keyOf={({ userId }) => userId}
      actions={(member) => (
        <WriteButton
          look="quiet"
          title={`Remove ${nameOf(member)} from ${group}`}
          method={removeGroupMember}
          input={{ groupId, userId: member.userId }}
          changes={() => [{ label: 'Members', from: nameOf(member), to: '' }]}
          confirm="Remove"
          said={() => `${nameOf(member)} is no longer in ${group}.`}
          isDangerous
          why={why}
        />
      )}
      empty="Add somebody; whoever is in the group can approve what it is asked for."
    />
  )
}
