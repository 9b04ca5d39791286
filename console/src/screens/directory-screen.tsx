import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type DirectoryRefusal, DirectoryService } from '../../../gen/svc/v2/directory_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { Badge } from '../ui/button.js'
import { Facts, Panel, Screen } from '../ui/screen.js'
import { Scroll } from '../ui/scroll.js'
import { Empty, FailureBox, NoRight, Skeleton } from '../ui/states.js'
import table from '../ui/table.module.css'
import { When } from '../ui/when.js'

/** How an identity provider is connected, and what of it was refused, in words. */
export function DirectoryScreen() {
  const why = useWhyNot(DirectoryService.method.getDirectoryStatus)
  const { data, error, refetch } = useQuery(
    DirectoryService.method.getDirectoryStatus,
    {},
    { enabled: why === undefined },
  )
  const status = data?.data
  return (
    <Screen title="Directory" lead="The identity provider that writes people and groups over SCIM.">
      {why && <NoRight why={why} />}
      {error && <FailureBox error={error} onRetry={() => void refetch()} />}
      {!why && !error && status === undefined && <Skeleton />}
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
              <Refusals refusals={status.refusals} />
            )}
          </Panel>
        </>
      )}
    </Screen>
  )
}

function Refusals({ refusals }: { readonly refusals: readonly DirectoryRefusal[] }) {
  return (
    <Scroll label="Refusals">
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Person</th>
            <th scope="col">Attribute</th>
            <th scope="col">Why</th>
            <th scope="col">Request</th>
          </tr>
        </thead>
        <tbody>
          {refusals.map((refusal) => (
            <tr key={refusal.id}>
              <td>
                <When at={refusal.occurredAt} exact />
              </td>
              <td>{refusal.userName || refusal.externalId || '–'}</td>
              <td>{refusal.attribute || '–'}</td>
              <td>{refusal.detail}</td>
              <td>
                {refusal.method} {refusal.path} ({refusal.status}) <code>{refusal.requestId}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
