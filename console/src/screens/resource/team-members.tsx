import { create, type Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { type GetTeamMemberResponse, type TeamMember, TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { TeamUserRole, TeamUserRoleSchema } from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink, useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { enumOptions, enumText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { dayOf, dayStart } from '../../ui/days.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { SelectField, TextField } from '../../ui/field.js'
import { PersonName } from '../../ui/person-name.js'
import { Picker } from '../../ui/picker.js'
import { ReadFirst } from '../../ui/read-first.js'
import { agoText, momentText, When } from '../../ui/when.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { nameOf } from './declaration.js'
import { useFormFaults } from './field-faults.js'
import { MemberPanel, RowButton } from './member-panel.js'

const { getTeamMember, listTeamMembers, setTeamMember, removeTeamMember } = TeamService.method
const PAGE_SIZE = 1_000
const FIELDS = ['teamId', 'userId', 'role', 'expiresAt']

type Open = { readonly kind: 'give' | 'take'; readonly member?: TeamMember }

/** Who has a role in a team, which one, and until when. */
export function TeamMembers({ id: teamId, item }: { readonly id: string; readonly item: Message }) {
  const team = nameOf(item)
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
        { label: 'Person', cell: ({ userId, ...member }) => <PersonName id={userId} {...member} /> },
        { label: 'Email', isMinor: true, cell: ({ email }) => email },
        { label: 'Role', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
        { label: 'Ends', cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : 'Never') },
      ]}
      keyOf={({ userId }) => userId}
      textOf={({ name, email }) => `${name} ${email}`}
      actions={(member) => (
        <>
          <RowButton
            text="Change"
            why={why}
            onClick={() => setOpen({ kind: 'give', member })}
            label={`Change the role of ${callOf(member)} in ${team}`}
          />
          <RowButton
            text="Remove"
            why={why}
            onClick={() => setOpen({ kind: 'take', member })}
            label={`Remove ${callOf(member)} from ${team}`}
          />
        </>
      )}
      empty="Nobody has a role here. Give one, or let the roles come with an import."
    >
      {open?.kind === 'give' && <GiveRole teamId={teamId} member={open.member} onClose={close} />}
      {open?.kind === 'take' && open.member && (
        <TakeRole
          input={{ teamId, userId: open.member.userId }}
          title={`Remove ${callOf(open.member)} from ${team}`}
          onClose={close}
        />
      )}
    </MemberPanel>
  )
}

/** What a member is called. */
function callOf({ name, email, userId }: TeamMember): string {
  return name || email || userId
}

interface TakeRoleProps {
  readonly title: string
  readonly input: { readonly teamId: string; readonly userId: string }
  readonly onClose: () => void
}

function TakeRole({ input, title, onClose }: TakeRoleProps) {
  return (
    <ReadFirst title={title} method={getTeamMember} input={input} onClose={onClose}>
      {(subject) => (
        <WriteDialog
          title={title}
          method={removeTeamMember}
          input={input}
          subject={subject}
          changes={(answer) => [{ label: 'Role', from: roleText(answer), to: 'None' }]}
          confirm="Remove"
          isDangerous
          onClose={onClose}
          onDone={onClose}
        />
      )}
    </ReadFirst>
  )
}

function roleText(answer: GetTeamMemberResponse | undefined): string {
  return answer?.data === undefined ? '' : enumText(TeamUserRoleSchema, answer.data.role)
}

interface GiveRoleProps {
  /** Absent to choose one. */
  readonly teamId?: string
  /** To whom a role is given; absent to choose somebody. */
  readonly userId?: string
  /** Whose role is changed; absent to give one to somebody. */
  readonly member?: TeamMember | undefined
  readonly onClose: () => void
}

/** Gives somebody a role in a team, or another one. */
export function GiveRole({ teamId: givenTeam = '', userId: givenUser = '', member, onClose }: GiveRoleProps) {
  const teamName = useTeamName()
  const [teamId, setTeamId] = useState(givenTeam)
  const [userId, setUserId] = useState(member?.userId ?? givenUser)
  const [role, setRole] = useState(String(member?.role ?? TeamUserRole.VIEWER))
  const stands = member?.expiresAt
  const [day, setDay] = useState(stands === undefined ? '' : dayOf(stands))
  const [isReviewing, setReviewing] = useState(false)
  // An end that is not touched stays, at whatever time of its day.
  const end = stands !== undefined && day === dayOf(stands) ? stands : dayStart(day)
  const title = member ? 'Change a role' : 'Give a role'
  const back = () => setReviewing(false)
  const isTyped =
    day !== (stands === undefined ? '' : dayOf(stands)) || (userId !== '' && userId !== givenUser && !member)
  const input = { teamId, userId, role: Number(role), ...(end && { expiresAt: end }) }
  const form = useFormFaults(setTeamMember.input, create(setTeamMember.input, input), { shown: FIELDS })
  const faultAt = (name: string) => form.at(name)[0]?.text
  if (isReviewing) {
    return (
      <ReadFirst title={title} method={getTeamMember} input={{ teamId, userId }} mayBeMissing onClose={back}>
        {(subject) => (
          <WriteDialog
            title={title}
            method={setTeamMember}
            input={input}
            subject={subject}
            changes={(answer) => [
              { label: 'Role', from: roleText(answer), to: enumText(TeamUserRoleSchema, Number(role)) },
              { label: 'Ends', from: endText(answer), to: end ? momentText(end) : 'Never' },
            ]}
            confirm="Save"
            isTyped={isTyped}
            onFaults={(found) => form.refuse(found, back)}
            onClose={back}
            onDone={onClose}
          >
            <p>
              For <PersonLink id={userId} /> in {teamName(teamId)}.
            </p>
          </WriteDialog>
        )}
      </ReadFirst>
    )
  }
  return (
    <Dialog title={title} isTyped={isTyped} onClose={onClose}>
      {member || givenUser ? (
        <PersonLink id={userId} />
      ) : (
        <Picker label="Person" kind="people" value={userId} fault={faultAt('userId')} onChange={setUserId} />
      )}
      {givenTeam === '' && (
        <Picker label="Team" kind="teams" value={teamId} fault={faultAt('teamId')} onChange={setTeamId} />
      )}
      <SelectField
        label="Role"
        value={role}
        options={enumOptions(TeamUserRoleSchema, '').slice(1)}
        fault={faultAt('role')}
        onChange={setRole}
      />
      <TextField
        label="Ends at the beginning of"
        type="date"
        value={day}
        fault={faultAt('expiresAt')}
        onChange={setDay}
        hint={
          end === undefined
            ? 'Leave empty for no expiry.'
            : `It ends ${agoText(end)}: ${momentText(end)}, by your clock.`
        }
      />
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" onClick={() => form.review(() => setReviewing(true))} why={form.why}>
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
