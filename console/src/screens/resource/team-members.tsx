import { create } from '@bufbuild/protobuf'
import { useState } from 'react'
import { type GetTeamMemberResponse, type TeamMember, TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { TeamUserRole, TeamUserRoleSchema } from '../../../../gen/svc/v2/user_pb.js'
import { FormMethod, useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { PersonLink, ThingName } from '../../api/things.js'
import { enumOptions, enumText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Dialog } from '../../ui/dialog.js'
import { SelectField, TextField } from '../../ui/field.js'
import { EndLine } from '../../ui/line.js'
import { PersonName } from '../../ui/person-name.js'
import { Picker } from '../../ui/picker.js'
import { ReadFirst } from '../../ui/read-first.js'
import { agoText, dayOf, dayStart, momentText, When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import type { PartProps } from './declaration.js'
import { FormFoot, useFormFaults } from './field-faults.js'
import { MemberPanel, useSearchedPages } from './member-panel.js'

const { getTeamMember, listTeamMembers, listUserTeams, setTeamMember, removeTeamMember } = TeamService.method
const FIELDS = ['teamId', 'userId', 'role', 'expiresAt']

/** Who has a role in a team, which one, and until when. */
export function TeamMembers({ id: teamId, item }: PartProps) {
  const team = nameOf(item)
  const [open, setOpen] = useState<'new' | TeamMember>()
  const pages = useSearchedPages(listTeamMembers, { teamId })
  const why = useWhyNot(setTeamMember, { teamId })
  return (
    <MemberPanel
      title="Roles"
      pages={pages}
      add={
        <Button onClick={() => setOpen('new')} why={why}>
          Give a role
        </Button>
      }
      columns={[
        { label: 'Person', cell: (member) => <PersonName person={member} /> },
        { label: 'Email', isMinor: true, cell: ({ email }) => email },
        { label: 'Role', size: 'narrow', cell: ({ role }) => enumText(TeamUserRoleSchema, role) },
        { label: 'Ends', size: 'narrow', isMinor: true, cell: ({ expiresAt }) => <RoleEnd at={expiresAt} /> },
      ]}
      keyOf={({ userId }) => userId}
      actions={(member) => {
        const name = nameOf(member)
        const input = { teamId, userId: member.userId }
        return (
          <>
            <Button
              look="quiet"
              why={why}
              onClick={() => setOpen(member)}
              label={`Change the role of ${name} in ${team}`}
            >
              Change
            </Button>
            <WriteButton
              look="quiet"
              title={`Remove ${name} from ${team}`}
              method={removeTeamMember}
              input={input}
              first={{ method: getTeamMember, input }}
              changes={(answer: GetTeamMemberResponse | undefined) => [
                { label: 'Role', from: roleText(answer), to: 'None' },
              ]}
              confirm="Remove"
              said={() => `${name} is no longer in ${team}.`}
              isDangerous
              why={why}
            />
          </>
        )
      }}
      empty="Nobody has a role here. Give one, or let the roles come with an import."
    >
      {open && (
        <GiveRole teamId={teamId} member={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
      )}
    </MemberPanel>
  )
}

/** When a role ends, also on a line of a quarter, so that roles are compared at a glance. */
export function RoleEnd({ at }: { readonly at: string | undefined }) {
  return (
    <>
      <When at={at} none="Never" />
      {at && <EndLine at={at} days={90} />}
    </>
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
  const stands = member?.expiresAt
  const begun = {
    teamId: givenTeam,
    userId: member?.userId ?? givenUser,
    role: String(member?.role ?? TeamUserRole.VIEWER),
    day: stands === undefined ? '' : dayOf(stands),
  }
  const [typed, setTyped] = useState<Partial<typeof begun>>({})
  const { teamId, userId, role, day } = { ...begun, ...typed }
  const set = (name: keyof typeof begun) => (text: string) => setTyped({ ...typed, [name]: text })
  const isTyped = Object.keys(typed).length > 0
  // An end that is not touched stays, at whatever time of its day.
  const end = day === begun.day ? stands : dayStart(day)
  const title = member ? 'Change a role' : 'Give a role'
  const input = { teamId, userId, role: Number(role), ...(end && { expiresAt: end }) }
  const form = useFormFaults(setTeamMember.input, create(setTeamMember.input, input), { shown: FIELDS })
  const faultAt = (name: string) => form.at(name)[0]?.text
  // A role that is known not to be there is not asked for.
  const roles = usePages(listUserTeams, { userId }, { isWanted: userId !== '' && member === undefined })
  const areKnown = roles.isSuccess && !roles.isPlaceholderData && !roles.hasNextPage
  if (form.isReviewing) {
    const write = (subject: WriteSubject<GetTeamMemberResponse> | 'nothing') => (
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
        {...form.reviewed}
        isTyped={isTyped}
        onDone={onClose}
      >
        <p>
          For <PersonLink id={userId} /> in <ThingName kind="teams" id={teamId} />.
        </p>
      </WriteDialog>
    )
    if (areKnown && !roles.rows.some((each) => each.teamId === teamId)) return write('nothing')
    const { onClose: close } = form.reviewed
    return (
      <ReadFirst title={title} method={getTeamMember} input={{ teamId, userId }} mayBeMissing onClose={close}>
        {write}
      </ReadFirst>
    )
  }
  return (
    <Dialog title={title} isTyped={isTyped} onClose={onClose}>
      {member || givenUser ? (
        <p>
          For <PersonLink id={userId} />.
        </p>
      ) : (
        <Picker label="Person" kind="people" value={userId} fault={faultAt('userId')} onChange={set('userId')} />
      )}
      {givenTeam === '' && (
        <FormMethod value={setTeamMember}>
          <Picker label="Team" kind="teams" value={teamId} fault={faultAt('teamId')} onChange={set('teamId')} />
        </FormMethod>
      )}
      <SelectField
        label="Role"
        value={role}
        options={enumOptions(TeamUserRoleSchema, '').slice(1)}
        fault={faultAt('role')}
        onChange={set('role')}
      />
      <TextField
        label="Ends at the beginning of"
        type="date"
        value={day}
        fault={faultAt('expiresAt')}
        onChange={set('day')}
        hint={end ? `It ends ${agoText(end)}: ${momentText(end)}, by your clock.` : 'Leave empty for no expiry.'}
      />
      <FormFoot form={form} isTyped={isTyped} onClose={onClose} />
    </Dialog>
  )
}

function endText(answer: GetTeamMemberResponse | undefined): string {
  if (answer?.data === undefined) return ''
  return answer.data.expiresAt === undefined ? 'Never' : momentText(answer.data.expiresAt)
}
