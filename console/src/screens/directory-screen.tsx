import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type DirectoryRefusal, DirectoryService } from '../../../gen/svc/v2/directory_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { Badge } from '../ui/button.js'
import type { Column } from '../ui/paged-table.js'
import { Facts, Panel, Screen } from '../ui/screen.js'
import { ShortTable } from '../ui/short-table.js'
import { Answered, Empty } from '../ui/states.js'
import { When } from '../ui/when.js'

/** How an identity provider is connected, and what of it was refused, in words. */
export function DirectoryScreen() {
  const why = useWhyNot(DirectoryService.method.getDirectoryStatus)
  const { data, error, isPending, refetch } = useQuery(
    DirectoryService.method.getDirectoryStatus,
    {},
    { enabled: why === undefined },
  )
  const status = data?.data
  return (
    <Screen title="Directory" lead="The identity provider that writes people and groups over SCIM.">
      {status === undefined && (
        <Answered why={why} asked={[{ error, isPending, refetch }]} lines={8}>
          {null}
        </Answered>
      )}
      {status && (
        <>
          <Panel title="People">
            <Facts
              facts={{
                Supplied: String(status.users?.supplied ?? 0),
                Active: String(status.users?.active ?? 0),
                'Deleted there': String(status.users?.deleted ?? 0),
                'Last write': status.lastWriteAt ? <When at={status.lastWriteAt} exact /> : 'Never',
              }}
            />
          </Panel>
          <Panel title="Connections">
            {status.connections.length === 0 && (
              <Empty title="No connection">
                Create a key for a directory under <Link to="/keys">Keys</Link>, and give it to the provider.
              </Empty>
            )}
            <ul>
              {status.connections.map((connection) => (
                <li key={connection.keyId}>
                  <Link to="/keys/$id" params={{ id: connection.keyId }}>
                    {connection.name || connection.keyId}
                  </Link>{' '}
                  <Badge tone={connection.state === 'active' ? 'good' : 'warn'}>{connection.state}</Badge> last used{' '}
                  {connection.lastUsedAt ? <When at={connection.lastUsedAt} exact /> : 'never'}
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="Refusals">
            {status.refusals.length === 0 ? (
              <Empty title="Nothing was refused">
                What the provider sends and the service cannot take stands here.
              </Empty>
            ) : (
              <ShortTable label="Refusals" columns={columns} rows={status.refusals} keyOf={({ id }) => id} />
            )}
          </Panel>
        </>
      )}
    </Screen>
  )
}

const columns: readonly Column<DirectoryRefusal>[] = [
  { label: 'When', cell: ({ occurredAt }) => <When at={occurredAt} exact /> },
  { label: 'Person', cell: ({ userName, externalId }) => userName || externalId || '–' },
  { label: 'Attribute', cell: ({ attribute }) => attribute || '–' },
  { label: 'Why', cell: ({ detail }) => detail },
  {
    label: 'Request',
    cell: ({ method, path, status, requestId }) => (
      <>
        {method} {path} ({status}) <code>{requestId}</code>
      </>
    ),
  },
]
