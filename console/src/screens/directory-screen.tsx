import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiKeyKind, ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import { type DirectoryRefusal, DirectoryService } from '../../../gen/svc/v2/directory_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { useServiceUrl } from '../session/session-context.js'
import { Badge, Button } from '../ui/button.js'
import { CopyButton } from '../ui/copy-button.js'
import type { Column } from '../ui/paged-table.js'
import { Facts, Panel, Screen } from '../ui/screen.js'
import { ShortTable } from '../ui/short-table.js'
import { Answered, Empty } from '../ui/states.js'
import { When } from '../ui/when.js'
import { CreateKey } from './keys/create-key.js'

/** How an identity provider is connected, and what of it was refused, in words. */
export function DirectoryScreen() {
  const why = useWhyNot(DirectoryService.method.getDirectoryStatus)
  const { data, error, isPending, refetch } = useQuery(
    DirectoryService.method.getDirectoryStatus,
    {},
    // A first sync is watched as it comes in.
    { enabled: why === undefined, refetchInterval: 5_000 },
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
          <SetUp />
          <Panel title="Connections">
            {status.connections.length === 0 && (
              <Empty title="No connection">Create a key above, and give it to the provider.</Empty>
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

/** How a provider is connected: its address, the steps, and a key made on the way. */
function SetUp() {
  const url = `${useServiceUrl()}/scim/v2`
  const [isCreating, setCreating] = useState(false)
  const why = useWhyNot(ApiKeyService.method.createApiKey)
  return (
    <Panel
      title="Connect a provider"
      actions={
        <Button onClick={() => setCreating(true)} why={why}>
          Create a key for a directory
        </Button>
      }
    >
      <Facts
        facts={{
          'SCIM address': (
            <>
              <code>{url}</code> <CopyButton text={() => url}>Copy the SCIM address</CopyButton>
            </>
          ),
          Okta: 'Add the app “SCIM 2.0 Test App (OAuth Bearer Token)”, and under Provisioning enter the address and the key as the bearer token. Switch on Create, Update and Deactivate Users.',
          'Microsoft Entra ID':
            'Create an enterprise application, and under Provisioning choose Automatic, enter the address as Tenant URL and the key as Secret Token. Test the connection, then assign people.',
          'What happens next':
            'The first people stand here as soon as the provider has written them. When the key ends, the provider’s writes are refused and the people stay as they are: rotate the key before.',
        }}
      />
      {isCreating && <CreateKey kind={ApiKeyKind.MK} onClose={() => setCreating(false)} />}
    </Panel>
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
