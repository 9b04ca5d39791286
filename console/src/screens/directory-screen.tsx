import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiKeyKind, ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import {
  type DirectoryConnection,
  type DirectoryRefusal,
  DirectoryService,
  type DirectoryStatus,
} from '../../../gen/svc/v2/directory_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { countText, numberText, sentence } from '../api/words.js'
import { useServiceUrl } from '../session/session-context.js'
import { Badge, Button } from '../ui/button.js'
import { CopyButton } from '../ui/copy-button.js'
import type { Column } from '../ui/paged-table.js'
import { Facts, Panel, Screen } from '../ui/screen.js'
import styles from '../ui/screen.module.css'
import { ShortTable } from '../ui/short-table.js'
import { Answered } from '../ui/states.js'
import { agoText, When } from '../ui/when.js'
import { CreateKey } from './keys/create-key.js'

/** How an identity provider is connected, and what of it was refused, in words. */
export function DirectoryScreen() {
  const why = useWhyNot(DirectoryService.method.getDirectoryStatus)
  const query = useQuery(
    DirectoryService.method.getDirectoryStatus,
    {},
    // A first sync is watched as it comes in.
    { enabled: why === undefined, refetchInterval: 5_000 },
  )
  const status = query.data?.data
  return (
    <Screen title="Directory" lead="The identity provider that writes people and groups over SCIM." why={why}>
      <Answered asked={[query]} lines={8}>
        {null}
      </Answered>
      {status && (
        <>
          <Panel title="People">
            <p role="status">{progressOf(status)} This page looks again every few seconds.</p>
            <Facts
              facts={{
                Supplied: numberText(status.users?.supplied ?? 0),
                Active: numberText(status.users?.active ?? 0),
                'Deleted there': numberText(status.users?.deleted ?? 0),
                'Last write': <When at={status.lastWriteAt} exact none="Never" />,
              }}
            />
          </Panel>
          <SetUp />
          <Panel title="Connections">
            <ShortTable
              label="Connections"
              columns={connectionColumns}
              rows={status.connections}
              keyOf={({ keyId }) => keyId}
              empty={['No connection', 'Create a key above, and give it to the provider.']}
            />
          </Panel>
          <Panel title="Refusals">
            <ShortTable
              label="Refusals"
              columns={columns}
              rows={status.refusals}
              keyOf={({ id }) => id}
              empty={['Nothing was refused', 'What the provider sends and the service refuses is listed here.']}
            />
          </Panel>
        </>
      )}
    </Screen>
  )
}

const providers = [
  {
    name: 'Okta',
    copied: (url: string) => url,
    steps: [
      'Under Applications, add “SCIM 2.0 Test App (Header Auth)” from the catalog.',
      'Under Provisioning, Integration, enter the address as Base URL, and Bearer with the secret of the key as API Token. Test the credentials.',
      'Under Provisioning, To App, switch on Create Users, Update User Attributes and Deactivate Users.',
      'Under Assignments, assign people; under Push Groups, choose the groups to send.',
    ],
  },
  {
    name: 'Microsoft Entra ID',
    copied: (url: string) => `${url}?aadOptscim062020`,
    steps: [
      'Under Enterprise applications, create an application of your own that is not in the gallery.',
      'Under Provisioning, choose Automatic, and enter the address as Tenant URL and the secret of the key as Secret Token. Test the connection.',
      'Under Users and groups, assign people and groups.',
      'Try one person with Provision on demand, then start provisioning: it is repeated every 40 minutes.',
    ],
  },
]

/** How a provider is connected: its address, the steps, and a key made on the way. */
function SetUp() {
  const url = `${useServiceUrl()}/scim/v2`
  const [isCreating, setCreating] = useState(false)
  const why = useWhyNot(ApiKeyService.method.createApiKey)
  return (
    <Panel
      title="Connect a provider"
      actions={
        <Button look="main" onClick={() => setCreating(true)} why={why}>
          Create a key for a directory
        </Button>
      }
    >
      <p>
        Create a key first: its secret is shown once. When the key ends, what the provider writes is refused and people
        stay as they are, so rotate it before: both secrets work for a while.
      </p>
      <div className={styles['pair']}>
        {providers.map(({ name, copied, steps }) => (
          <section key={name} aria-label={name} className={styles['steps']}>
            <h3>{name}</h3>
            <p>
              <code>{copied(url)}</code>{' '}
              <CopyButton text={() => copied(url)}>{`Copy the address for ${name}`}</CopyButton>
            </p>
            <ol>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {isCreating && <CreateKey kind={ApiKeyKind.MK} onClose={() => setCreating(false)} />}
    </Panel>
  )
}

/** How far a provider has come, which is watched while it connects. */
function progressOf({ connections, users, lastWriteAt }: DirectoryStatus): string {
  if (users !== undefined && lastWriteAt !== undefined) {
    const people = countText(users.supplied, 'person comes', 'people come')
    return `${people} from the provider; it wrote last ${agoText(lastWriteAt)}.`
  }
  if (connections.length === 0) return 'No provider is connected.'
  return connections.some(({ lastUsedAt }) => lastUsedAt)
    ? 'The provider has signed in, and has not sent anybody yet.'
    : 'Waiting for the first request of the provider.'
}

const connectionColumns: readonly Column<DirectoryConnection>[] = [
  {
    label: 'Key',
    cell: ({ keyId, name }) => <Link to={`/keys/${encodeURIComponent(keyId)}`}>{name || 'Without a name'}</Link>,
  },
  { label: 'State', cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'warn'}>{sentence(state)}</Badge> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} exact none="Never" /> },
  { label: 'Ends', cell: ({ expiresAt }) => <When at={expiresAt} none="Never" /> },
]

const columns: readonly Column<DirectoryRefusal>[] = [
  { label: 'When', cell: ({ occurredAt }) => <When at={occurredAt} exact /> },
  { label: 'Person', cell: ({ userName, externalId }) => userName || externalId || '–' },
  { label: 'Attribute', cell: ({ attribute }) => attribute || '–' },
  { label: 'Why', cell: ({ detail }) => detail },
  {
    label: 'Request',
    cell: ({ method, path, status, requestId }) => (
      <>
        {method} {path} ({status}) <CopyButton text={() => requestId}>Copy the request ID</CopyButton>
      </>
    ),
  },
]
