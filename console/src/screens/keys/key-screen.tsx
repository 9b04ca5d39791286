import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiKey, ApiKeyRevocationSchema, ApiKeyService, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { useTagged } from '../../api/tagged.js'
import { enumText } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import type { Column } from '../../ui/paged-table.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { ShortTable } from '../../ui/short-table.js'
import { FailureBox, Loading } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { KeyAction } from './key-action.js'
import { isUnused, KeyMaker, KeyStatus, kindText } from './key-facts.js'
import { Lifeline, LifelineWithMoments } from './lifeline.js'

/** A key: what it may do, when it was last used, and the keys that it was rotated from and to. */
export function KeyScreen() {
  const id: string = useParams({ strict: false, select: ({ id = '' }: { id?: string }) => id })
  const read = useTagged(ApiKeyService.method.getApiKey, { id })
  const key = read.data?.message.data
  if (read.error && key === undefined) {
    return (
      <Screen title="Key" above={<Link to="/keys">API keys</Link>}>
        <FailureBox error={read.error} onRetry={() => void read.refetch()} />
      </Screen>
    )
  }
  return key === undefined ? <Loading /> : <Key key={key.id} apiKey={key} />
}

function Key({ apiKey }: { readonly apiKey: ApiKey }) {
  const [open, setOpen] = useState<'rotate' | 'revoke'>()
  const [secret, setSecret] = useState<string>()
  const [next, setNext] = useState<string>()
  const teamName = useTeamName()
  const subject = { teamId: apiKey.teamId === '' ? undefined : apiKey.teamId }
  const isActive = apiKey.status === ApiKeyStatus.ACTIVE
  const dead = isActive ? undefined : 'The key does not work any more.'
  const whyNotRotate = useWhyNot(ApiKeyService.method.rotateApiKey, subject) ?? dead
  const whyNotRevoke = useWhyNot(ApiKeyService.method.revokeApiKey, subject) ?? dead
  return (
    <Screen
      title={apiKey.name || apiKey.id}
      id={apiKey.id}
      meta={
        <>
          <KeyStatus status={apiKey.status} />
          {isUnused(apiKey, Date.now()) && <Badge tone="warn">Unused for 30 days</Badge>}
          <span>
            {apiKey.expiresAt ? (
              <>
                Ends <When at={apiKey.expiresAt} exact />
              </>
            ) : (
              'Does not end'
            )}
          </span>
        </>
      }
      above={<Link to="/keys">API keys</Link>}
      actions={
        <Toolbar>
          <Button onClick={() => setOpen('rotate')} why={whyNotRotate}>
            Rotate
          </Button>
          <Button look="danger" onClick={() => setOpen('revoke')} why={whyNotRevoke}>
            Revoke
          </Button>
        </Toolbar>
      }
    >
      <Panel title="About">
        <LifelineWithMoments apiKey={apiKey} />
        <Facts
          facts={{
            For: kindText(apiKey),
            Reaches: apiKey.teamId === '' ? 'The organization' : teamName(apiKey.teamId),
            'Last used': apiKey.lastUsedAt ? <When at={apiKey.lastUsedAt} exact /> : 'Never',
            Created: <When at={apiKey.createdAt} exact />,
            'Created by': <KeyMaker apiKey={apiKey} />,
            Revoked: apiKey.revokedAt && (
              <>
                <When at={apiKey.revokedAt} exact /> ({enumText(ApiKeyRevocationSchema, apiKey.revokedBy)})
              </>
            ),
            Permissions: apiKey.permissions.join(', '),
          }}
        />
      </Panel>
      <Chain apiKey={apiKey} />
      {open && (
        <KeyAction
          kind={open}
          apiKey={apiKey}
          onClose={() => setOpen(undefined)}
          onDone={(made, id) => {
            setOpen(undefined)
            setSecret(made)
            setNext(id)
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          secret={secret}
          of="API key"
          clientId={next}
          kind={apiKey.kind}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Screen>
  )
}

const PAGE_SIZE = 1_000

const chainColumns: readonly Column<ApiKey>[] = [
  {
    label: 'Created',
    cell: ({ id, createdAt }) => (
      <Link to="/keys/$id" params={{ id }}>
        <When at={createdAt} exact />
      </Link>
    ),
  },
  { label: 'Life', cell: (key) => <Lifeline apiKey={key} /> },
  { label: 'State', cell: ({ status }) => <KeyStatus status={status} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} exact /> : 'Never') },
]

/** The keys that a key was rotated from and to: a leak of one of them ends all. */
function Chain({ apiKey }: { readonly apiKey: ApiKey }) {
  const why = useWhyNot(ApiKeyService.method.listApiKeys)
  const pages = usePages(ApiKeyService.method.listApiKeys, { pageSize: PAGE_SIZE }, why === undefined)
  const chain = pages.rows.filter(({ chainId }) => chainId === apiKey.chainId)
  if (chain.length < 2) return null
  return (
    <Panel title="Chain">
      <p>Each was rotated from the one before. If the secret of one leaks, all of them end.</p>
      <ShortTable label="Keys of the chain" columns={chainColumns} rows={chain} keyOf={({ id }) => id} />
    </Panel>
  )
}
