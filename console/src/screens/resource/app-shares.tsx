import type { Message } from '@bufbuild/protobuf'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { AppInstanceService, AppInstanceShareSchema } from '../../../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../../../gen/svc/v2/app_resource_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { Button } from '../../ui/button.js'
import { Picker } from '../../ui/picker.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { teamOf } from './declaration.js'
import { FieldValue } from './field-value.js'
import { MemberPanel } from './member-panel.js'

const { listAppInstanceShares, shareAppInstance, unshareAppInstance } = AppInstanceService.method
const PAGE_SIZE = 1_000

interface AppSharesProps {
  readonly id: string
  readonly item: Message
}

/** The resources of an app instance, and the teams that it is shared with, in whose lists it then stands. */
export function AppShares(props: AppSharesProps) {
  const resources = usePages(AppResourceService.method.listAppResources, {
    appInstanceId: props.id,
    pageSize: PAGE_SIZE,
  })
  return (
    <>
      <MemberPanel
        title="Resources"
        pages={resources}
        add={
          <Link to="/resources" search={{ appInstanceId: props.id } as never}>
            Edit as a table
          </Link>
        }
        columns={[
          { label: 'Name', cell: ({ id, name }) => <Link to={`/resources/${encodeURIComponent(id)}`}>{name}</Link> },
          { label: 'Type', cell: ({ resourceType }) => resourceType },
          { label: 'Description', cell: ({ description }) => description || '–' },
          { label: 'External ID', isMinor: true, cell: ({ externalId }) => externalId || '–' },
          { label: 'Short name', isMinor: true, cell: ({ scopedId }) => <code>{scopedId}</code> },
        ]}
        keyOf={(resource) => resource.id}
        textOf={({ name, description, externalId }) => `${name} ${description} ${externalId}`}
        actions={() => null}
        empty="People are granted access to resources of an app. Create one, or let an import bring them in."
      />
      <Sharing {...props} />
    </>
  )
}

function Sharing({ id, item }: AppSharesProps) {
  const [sharing, setSharing] = useState<string>()
  const [ending, setEnding] = useState<string>()
  const pages = usePages(listAppInstanceShares, { id, pageSize: PAGE_SIZE })
  const teamName = useTeamName()
  const taken = new Set([teamOf(item) ?? '', ...pages.rows.map(({ teamId }) => teamId)])
  const why = useWhyNot(shareAppInstance, { teamId: teamOf(item) })
  return (
    <MemberPanel
      title="Shared with"
      pages={pages}
      add={
        <Button onClick={() => setSharing('')} why={why}>
          Share
        </Button>
      }
      columns={[
        { label: 'Team', cell: (share) => <FieldValue field={AppInstanceShareSchema.field.teamId} item={share} /> },
      ]}
      keyOf={({ teamId }) => teamId}
      actions={(share) => (
        <Button
          look="quiet"
          why={why}
          onClick={() => setEnding(share.teamId)}
          label={`Stop sharing with ${teamName(share.teamId)}`}
        >
          Stop sharing
        </Button>
      )}
      empty="A team that it is shared with sees it in its list, and can do nothing else with it."
      emptyTitle="Shared with no team"
    >
      {sharing !== undefined && (
        <WriteDialog
          title="Share the app"
          method={shareAppInstance}
          input={{ id, teamId: sharing }}
          changes={() => (sharing === '' ? [] : [{ label: 'In the list of', to: teamName(sharing) }])}
          confirm="Share"
          onClose={() => setSharing(undefined)}
          onDone={() => setSharing(undefined)}
        >
          <Picker label="Team" kind="teams" value={sharing} without={taken} onChange={setSharing} />
        </WriteDialog>
      )}
      {ending !== undefined && (
        <WriteDialog
          title="Stop sharing the app"
          method={unshareAppInstance}
          input={{ id, teamId: ending }}
          changes={() => [{ label: 'In the list of', from: teamName(ending), to: '' }]}
          confirm="Stop sharing"
          isDangerous
          onClose={() => setEnding(undefined)}
          onDone={() => setEnding(undefined)}
        />
      )}
    </MemberPanel>
  )
}
