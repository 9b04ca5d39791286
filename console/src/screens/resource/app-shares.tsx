import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { AppInstanceService } from '../../../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../../../gen/svc/v2/app_resource_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTeamName, useTeams } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { Button, Toolbar } from '../../ui/button.js'
import { SelectField } from '../../ui/field.js'
import { Panel } from '../../ui/screen.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { teamOf } from './declaration.js'
import { MemberPanel } from './member-panel.js'

const { shareAppInstance, unshareAppInstance } = AppInstanceService.method
const PAGE_SIZE = 1_000

/** The resources of an app instance, and sharing it with other teams, in whose lists it then stands. */
export function AppShares({ id, item }: { readonly id: string; readonly item: Message }) {
  const resources = usePages(AppResourceService.method.listAppResources, { appInstanceId: id, pageSize: PAGE_SIZE })
  return (
    <>
      <MemberPanel
        title="Resources"
        pages={resources}
        add={undefined}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          { label: 'Type', cell: ({ resourceType }) => resourceType },
          { label: 'Description', cell: ({ description }) => description || '–' },
          { label: 'External id', cell: ({ externalId }) => externalId || '–' },
          { label: 'Handle', cell: ({ scopedId }) => <code>{scopedId}</code> },
        ]}
        keyOf={(resource) => resource.id}
        actions={() => null}
        empty="People are granted access to resources of an app. An import or the API brings them in."
      />
      <Sharing id={id} item={item} />
    </>
  )
}

function Sharing({ id, item }: { readonly id: string; readonly item: Message }) {
  const [open, setOpen] = useState<'share' | 'unshare'>()
  const [teamId, setTeamId] = useState('')
  const teams = useTeams().filter((team) => team.id !== teamOf(item))
  const teamName = useTeamName()
  const noRight = useWhyNot(shareAppInstance, { teamId: teamOf(item) })
  const why = noRight ?? (teamId === '' ? 'Choose a team first.' : undefined)
  const close = () => setOpen(undefined)
  const common = { input: { id, teamId }, onClose: close, onDone: close }
  return (
    <Panel title="Sharing">
      <p>A team that it is shared with sees it in its list, and can do nothing else with it.</p>
      <Toolbar>
        <SelectField
          label="Team"
          value={teamId}
          options={[{ value: '', text: 'Choose' }, ...teams.map((team) => ({ value: team.id, text: team.name }))]}
          onChange={setTeamId}
        />
        <Button onClick={() => setOpen('share')} why={why}>
          Share
        </Button>
        <Button onClick={() => setOpen('unshare')} why={why}>
          Stop sharing
        </Button>
      </Toolbar>
      {open === 'share' && (
        <WriteDialog
          {...common}
          title="Share the app instance"
          method={shareAppInstance}
          changes={() => [{ label: 'In the list of', to: teamName(teamId) }]}
          confirm="Share"
        />
      )}
      {open === 'unshare' && (
        <WriteDialog
          {...common}
          title="Stop sharing the app instance"
          method={unshareAppInstance}
          changes={() => [{ label: 'In the list of', from: teamName(teamId), to: '' }]}
          confirm="Stop sharing"
          isDangerous
        />
      )}
    </Panel>
  )
}
