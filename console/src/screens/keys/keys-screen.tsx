import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiKey, ApiKeyService, ApiKeyStatusSchema } from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink, useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { enumOptions } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { SelectField } from '../../ui/field.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { Filters, Screen } from '../../ui/screen.js'
import { NoRight } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { CreateKey } from './create-key.js'
import { isLeftBehind, isUnused, KeyMaker, KeyStatus, kindText } from './key-facts.js'

const PAGE_SIZE = 1_000

/** The API keys: which are in use, and which nobody uses. */
export function KeysScreen() {
  const [filters, change] = useFilters()
  const [isCreating, setCreating] = useState(false)
  const teamName = useTeamName()
  const why = useWhyNot(ApiKeyService.method.listApiKeys)
  const whyNotCreate = useWhyNot(ApiKeyService.method.createApiKey)
  const request = { pageSize: PAGE_SIZE, createdByUserId: filters['maker'] ?? '' }
  const pages = usePages(ApiKeyService.method.listApiKeys, request, why === undefined)
  const now = Date.now()
  const rows = pages.rows.filter(
    (key) =>
      (!filters['status'] || key.status === Number(filters['status'])) &&
      (filters['use'] !== 'unused' || isUnused(key, now)) &&
      (filters['left'] !== 'yes' || isLeftBehind(key)),
  )
  const columns: readonly Column<ApiKey>[] = [
    {
      label: 'Name',
      size: 'wide',
      cell: (key) => (
        <Link to="/keys/$id" params={{ id: key.id }}>
          {key.name || key.id}
        </Link>
      ),
    },
    { label: 'Kind', isMinor: true, cell: (key) => kindText(key) },
    { label: 'Team', isMinor: true, cell: (key) => (key.teamId === '' ? 'Organization' : teamName(key.teamId)) },
    { label: 'Created by', cell: (key) => <KeyMaker apiKey={key} /> },
    { label: 'State', size: 'narrow', cell: ({ status }) => <KeyStatus status={status} /> },
    { label: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : 'Never') },
    { label: 'Ends', isMinor: true, cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : 'Never') },
  ]
  return (
    <Screen
      title="Keys"
      fills
      lead={
        filters['maker'] && (
          <>
            Created by <PersonLink id={filters['maker']} />.{' '}
            <Button look="quiet" onClick={() => change({ maker: '' })}>
              Show all keys
            </Button>
          </>
        )
      }
      actions={
        <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
          Create a key
        </Button>
      }
    >
      {why ? (
        <NoRight why={why} />
      ) : (
        <>
          <Filters>
            <SelectField
              label="State"
              value={filters['status'] ?? ''}
              options={enumOptions(ApiKeyStatusSchema, 'All')}
              onChange={(status) => change({ status })}
            />
            <SelectField
              label="Use"
              value={filters['use'] ?? ''}
              options={[
                { value: '', text: 'All' },
                { value: 'unused', text: 'Not used for 30 days' },
              ]}
              onChange={(use) => change({ use })}
            />
            <SelectField
              label="Creator"
              value={filters['left'] ?? ''}
              options={[
                { value: '', text: 'Anybody' },
                { value: 'yes', text: 'Deactivated, the key works on' },
              ]}
              onChange={(left) => change({ left })}
            />
          </Filters>
          <PagedTable
            label="Keys"
            pages={{ ...pages, rows }}
            columns={columns}
            keyOf={({ id }) => id}
            empty={{ title: 'No key matches', children: 'Take a filter away, or create a key for a program.' }}
          />
        </>
      )}
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </Screen>
  )
}
