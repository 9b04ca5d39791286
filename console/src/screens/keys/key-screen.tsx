import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  type ApiKey,
  ApiKeyKindSchema,
  ApiKeyRevocationSchema,
  ApiKeyService,
  ApiKeyStatus,
  ApiKeyStatusSchema,
  type RotateApiKeyResponse,
} from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { ThingLink } from '../../api/things.js'
import { enumText } from '../../api/words.js'
import { Badge, Toolbar } from '../../ui/button.js'
import { CheckField, SelectField } from '../../ui/field.js'
import type { Column } from '../../ui/paged-table.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { ShortTable } from '../../ui/short-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { ThingScreen } from '../../ui/thing-screen.js'
import { When } from '../../ui/when.js'
import { WriteButton } from '../../ui/write-button.js'
import { isUnused, KeyMaker, Lifeline } from './key-facts.js'

const overlaps = [
  { value: '0', text: 'Not at all' },
  { value: '3600', text: 'One hour' },
  { value: '86400', text: 'One day' },
  { value: '604800', text: 'One week' },
]

/** A key: what it may do, when it was last used, and the keys that it was rotated from and to. */
export function KeyScreen() {
  return (
    <ThingScreen method={ApiKeyService.method.getApiKey} one="API key" path="keys" title="API keys">
      {({ data }, _, above) => data && <Key apiKey={data} above={above} />}
    </ThingScreen>
  )
}

function Key({ apiKey, above }: { readonly apiKey: ApiKey; readonly above: ReactNode }) {
  const [made, setMade] = useState<RotateApiKeyResponse>()
  const [overlap, setOverlap] = useState('86400')
  const [isChain, setChain] = useState(false)
  const subject = { teamId: apiKey.teamId === '' ? undefined : apiKey.teamId }
  const isActive = apiKey.status === ApiKeyStatus.ACTIVE
  const dead = isActive ? undefined : 'The key does not work any more.'
  const name = nameOf(apiKey)
  const whyNotRotate = useWhyNot(ApiKeyService.method.rotateApiKey, subject) ?? dead
  const whyNotRevoke = useWhyNot(ApiKeyService.method.revokeApiKey, subject) ?? dead
  return (
    <Screen
      title={name}
      id={apiKey.id}
      meta={
        <>
          <StateBadge schema={ApiKeyStatusSchema} value={apiKey.status} />
          {isUnused(apiKey, Date.now()) && <Badge tone="warn">Unused for 30 days</Badge>}
          <span>
            {apiKey.revokedAt ? 'Revoked ' : apiKey.expiresAt ? 'Ends ' : 'Does not end'}
            <When at={apiKey.revokedAt ?? apiKey.expiresAt} exact none="" />
          </span>
        </>
      }
      above={above}
      actions={
        <Toolbar>
          <WriteButton
            title={`Rotate ${name}`}
            method={ApiKeyService.method.rotateApiKey}
            input={{ id: apiKey.id, overlapSeconds: Number(overlap) }}
            changes={() => [
              { label: 'Next key', to: 'The same rights, another ID and secret' },
              { label: 'This key still works', from: 'Yes', to: overlaps.find(({ value }) => value === overlap)?.text },
            ]}
            confirm="Rotate"
            why={whyNotRotate}
            onDone={setMade}
          >
            <SelectField label="How long both work" value={overlap} options={overlaps} onChange={setOverlap} />
          </WriteButton>
          <WriteButton
            title={`Revoke ${name}`}
            method={ApiKeyService.method.revokeApiKey}
            input={{ id: apiKey.id, chain: isChain }}
            changes={() => [
              {
                label: isChain ? 'All keys of the chain' : 'State',
                from: 'Active',
                to: 'Revoked, at once and for good',
              },
            ]}
            confirm="Revoke"
            isDangerous
            why={whyNotRevoke}
          >
            <CheckField label="Also the keys that it was rotated from or to" checked={isChain} onChange={setChain} />
          </WriteButton>
        </Toolbar>
      }
    >
      <Panel title="About">
        <Facts
          facts={{
            Life: <Lifeline apiKey={apiKey} />,
            Kind: enumText(ApiKeyKindSchema, apiKey.kind),
            Team: apiKey.teamId === '' ? 'The whole organization' : <ThingLink kind="teams" id={apiKey.teamId} />,
            'Last used': <When at={apiKey.lastUsedAt} exact none="Never" />,
            Created: <When at={apiKey.createdAt} exact />,
            'Created by': <KeyMaker apiKey={apiKey} />,
            ...(apiKey.revokedAt && { 'Revoked by': enumText(ApiKeyRevocationSchema, apiKey.revokedBy) }),
            Permissions: apiKey.permissions.join(', '),
          }}
        />
      </Panel>
      <Chain apiKey={apiKey} />
      {made && (
        <SecretDialog
          secret={made.secret ?? ''}
          of="API key"
          clientId={made.data?.id}
          kind={apiKey.kind}
          onClose={() => setMade(undefined)}
        />
      )}
    </Screen>
  )
}

const chainColumns: readonly Column<ApiKey>[] = [
  {
    label: 'Created',
    cell: ({ id, createdAt }) => (
      <Link to={`/keys/${encodeURIComponent(id)}`}>
        <When at={createdAt} exact />
      </Link>
    ),
  },
  { label: 'Life', cell: (key) => <Lifeline apiKey={key} /> },
  { label: 'State', cell: ({ status }) => <StateBadge schema={ApiKeyStatusSchema} value={status} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} exact none="Never" /> },
]

/** The keys that a key was rotated from and to: a leak of one of them ends all. */
function Chain({ apiKey }: { readonly apiKey: ApiKey }) {
  const pages = usePages(ApiKeyService.method.listApiKeys, {})
  const chain = pages.rows.filter(({ chainId }) => chainId === apiKey.chainId)
  if (chain.length < 2) return null
  return (
    <Panel title="Chain">
      <p>Each was rotated from the one before. If the secret of one leaks, all of them end.</p>
      <ShortTable label="Keys of the chain" columns={chainColumns} rows={chain} keyOf={({ id }) => id} />
    </Panel>
  )
}
