import { useState } from 'react'
import { AppInstanceService, AppInstanceShareSchema } from '../../../../gen/svc/v2/app_instance_pb.js'
import { TeamService } from '../../../../gen/svc/v2/team_pb.js'
import { useOwnTeams, useWhyNot } from '../../api/caller-context.js'
import { teamOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { ThingName, useIsHidden, useThingName } from '../../api/things.js'
import { Picker } from '../../ui/picker.js'
import { WriteButton } from '../../ui/write-button.js'
import type { PartProps } from './declaration.js'
import { FieldValue } from './field-value.js'
import { MemberPanel } from './member-panel.js'

const { listAppInstanceShares, shareAppInstance, unshareAppInstance } = AppInstanceService.method

/** The teams that an app instance is shared with, in whose lists it then stands. */
export function AppShares({ id, item }: PartProps) {
  const [chosen, setChosen] = useState('')
  const pages = usePages(listAppInstanceShares, { id })
  const taken = new Set([teamOf(item) ?? '', ...pages.rows.map(({ teamId }) => teamId)])
  const why = useWhyNot(shareAppInstance, { teamId: teamOf(item) })
  const isAlone = useOwnTeams(TeamService.method.listTeams)?.every(({ teamId }) => taken.has(teamId))
  return (
    <MemberPanel
      title="Shared with"
      pages={pages}
      add={
        <WriteButton
          title="Share the app"
          method={shareAppInstance}
          input={{ id, teamId: chosen }}
          changes={() =>
            chosen === '' ? [] : [{ label: 'In the list of', to: <ThingName kind="teams" id={chosen} /> }]
          }
          confirm="Share"
          why={why ?? (isAlone ? 'You see no other team to share it with.' : undefined)}
          onClose={() => setChosen('')}
        >
          <Picker label="Team" kind="teams" value={chosen} without={taken} onChange={setChosen} />
        </WriteButton>
      }
      columns={[
        { label: 'Team', cell: (share) => <FieldValue field={AppInstanceShareSchema.field.teamId} item={share} /> },
      ]}
      keyOf={({ teamId }) => teamId}
      actions={({ teamId }) => <UnshareButton id={id} teamId={teamId} why={why} />}
      empty="A team that it is shared with sees it in its list, and can do nothing else with it."
      emptyTitle="Shared with no team"
    />
  )
}

function UnshareButton({ id, teamId, why }: { id: string; teamId: string; why: string | undefined }) {
  const team = useThingName('teams', teamId) ?? '…'
  const isHidden = useIsHidden('teams', teamId)
  return (
    <WriteButton
      look="quiet"
      title={`Stop sharing with ${team}`}
      method={unshareAppInstance}
      input={{ id, teamId }}
      changes={() => [{ label: 'In the list of', from: team, to: '' }]}
      confirm="Stop sharing"
      isDangerous
      said={() => `${team} no longer sees the app.`}
      why={why ?? (isHidden ? 'You cannot see this team.' : undefined)}
    />
  )
}
