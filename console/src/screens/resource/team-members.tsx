import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { type GetTeamMemberResponse, type TeamMember, TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { TeamUserRole, TeamUserRoleSchema } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { enumOptions, enumText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { dayOf, dayStart } from '../../ui/days.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { SelectField, TextField } from '../../ui/field.js'
import { PersonField } from '../../ui/person-field.js'
import { ReadFirst } from '../../ui/read-first.js'
import { momentText, When } from '../../ui/when.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { MemberPanel } from './member-panel.js'

const { getTeamMember, listTeamMembers, setTeamMember, removeTeamMember } = TeamService.method
const PAGE_SIZE = 1_000

type Open = { readonly kind: 'give' | 'take'; readonly member?: TeamMember }

/** Who has a role in a team, which one, and until when. */
export function TeamMembers({ id: teamId }: { readonly id: string; readonly item: Message }) {
  const [open, setOpen] = useState<Open>()
  const pages = usePages(listTeamMembers, { teamId, pageSize: PAGE_SIZE })
  const why = useWhyNot(setTeamMember, { teamId })
  const close = () => setOpen(undefined)
  return (
    <MemberPanel
      title="Roles"
      pages={pages}
      add={
        <Button onClick={() => setOpen({ kind: 'give' })} why={why}>
          Give a role
        </Button>
      }
      columns={[
        { label: 'Person', cell: ({ userId }) => <PersonLink id={userId} /> },
        { label: 'Role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
        { label: 'Ends', cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} exact /> : 'Never') },
      ]}
      keyOf={({ userId }) => userId}
      actions={(member) => (
        <>
          <Button
            look="quiet"
            why={why}
            onClick={() => setOpen({ kind: 'give', member })}
            label={`Change ${member.userId}`}
          >
            Change
          </Button>
          <Button
            look="quiet"
            why={why}
            onClick={() => setOpen({ kind: 'take', member })}
            label={`Take ${member.userId}`}
          >
            Take
          </Button>
        </>
      )}
      empty="Nobody has a role here. Give one, or let the roles come with an import."
    >
      {open?.kind === 'give' && <GiveRole teamId={teamId} member={open.member} onClose={close} />}
      {open?.kind === 'take' && open.member && (
        <TakeRole input={{ teamId, userId: open.member.userId }} onClose={close} />
      )}
    </MemberPanel>
  )
}

interface TakeRoleProps {
  readonly input: { readonly teamId: string; readonly userId: string }
  readonly onClose: () => void
}

function TakeRole({ input, onClose }: TakeRoleProps) {
  return (
    <ReadFirst title="Take a role" method={getTeamMember} input={input} onClose={onClose}>
      {(subject) => (
        <WriteDialog
          title="Take a role"
          method={removeTeamMember}
          input={input}
          subject={subject}
          changes={(answer) => [{ label: 'Role', from: roleText(answer), to: 'None' }]}
          confirm="Take"
          isDangerous
          onClose={onClose}
          onDone={onClose}
        >
          <p>
            From <PersonLink id={input.userId} />, at once.
          </p>
        </WriteDialog>
      )}
    </ReadFirst>
  )
}

function roleText(answer: GetTeamMemberResponse | undefined): string {
  return answer?.data === undefined ? '' : enumText(TeamUserRoleSchema, answer.data.role)
}

interface GiveRoleProps {
  readonly teamId: string
  /** Whose role is changed; absent to give one to somebody. */
  readonly member: TeamMember | undefined
  readonly onClose: () => void
}

function GiveRole({ teamId, member, onClose }: GiveRoleProps) {
  const [userId, setUserId] = useState(member?.userId ?? '')
  const [role, setRole] = useState(String(member?.role ?? TeamUserRole.VIEWER))
  const stands = member?.expiresAt
  const [day, setDay] = useState(stands === undefined ? '' : dayOf(stands))
  const [isReviewing, setReviewing] = useState(false)
  // An end that is not touched stays, at whatever time of its day.
  const end = stands !== undefined && day === dayOf(stands) ? stands : dayStart(day)
  const title = member ? 'Change a role' : 'Give a role'
  const back = () => setReviewing(false)
  if (isReviewing) {
    return (
      <ReadFirst title={title} method={getTeamMember} input={{ teamId, userId }} mayBeMissing onClose={back}>
        {(subject) => (
          <WriteDialog
            title={title}
            method={setTeamMember}
            input={{ teamId, userId, role: Number(role), ...(end && { expiresAt: end }) }}
            subject={subject}
            changes={(answer) => [
              { label: 'Role', from: roleText(answer), to: enumText(TeamUserRoleSchema, Number(role)) },
              { label: 'Ends', from: endText(answer), to: end ? momentText(end) : 'Never' },
            ]}
            confirm="Save"
            onClose={back}
            onDone={onClose}
          >
            <p>
              For <PersonLink id={userId} />.
            </p>
          </WriteDialog>
        )}
      </ReadFirst>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {member ? <PersonLink id={userId} /> : <PersonField label="Person" value={userId} onChange={setUserId} />}
      <SelectField
        label="Role"
        value={role}
        options={enumOptions(TeamUserRoleSchema, '').slice(1)}
        onChange={setRole}
      />
      <TextField
        label="Ends at the beginning of"
        type="date"
        value={day}
        onChange={setDay}
        hint={`By your clock. Empty: it never ends.${stands ? ` Unless you change the day: ${momentText(stands)}.` : ''}`}
      />
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="main"
          onClick={() => setReviewing(true)}
          why={userId === '' ? 'Choose a person first.' : undefined}
        >
          Review
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function endText(answer: GetTeamMemberResponse | undefined): string {
  if (answer?.data === undefined) return ''
  return answer.data.expiresAt === undefined ? 'Never' : momentText(answer.data.expiresAt)
}
