import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/dist/esm/icons/plus.mjs'
import { useState } from 'react'
import { type ApiKey, ApiKeyKindSchema, ApiKeyService, ApiKeyStatusSchema } from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { PersonLink, ThingName } from '../../api/things.js'
import { enumOptions, enumText, optionsOf } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import type { Filter } from '../../ui/filters.js'
import { ListScreen } from '../../ui/list-screen.js'
import type { Column } from '../../ui/paged-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { CreateKey } from './create-key.js'
import { isLeftBehind, isOfAge, isUnused, KeyMaker, keyAges, Lifeline } from './key-facts.js'

/** The API keys: which are in use, and which nobody uses. */
export function KeysScreen() {
  const [filters] = useFilters()
  const [isCreating, setCreating] = useState(false)
  const whyNotCreate = useWhyNot(ApiKeyService.method.createApiKey)
  const pages = usePages(ApiKeyService.method.listApiKeys, {
    q: filters['q'] ?? '',
    createdByUserId: filters['maker'] ?? '',
  })
  const now = Date.now()
  const age = keyAges.find(({ value }) => value === filters['age'])
  const isWanted = (key: ApiKey) =>
    (!filters['status'] || key.status === Number(filters['status'])) &&
    (age === undefined || isOfAge(key, age, now)) &&
    (filters['use'] !== 'unused' || isUnused(key, now)) &&
    (filters['left'] !== 'yes' || isLeftBehind(key))
  const rows = pages.rows.filter(isWanted)
  const readPages = async function* () {
    for await (const page of pages.readPages()) yield page.filter(isWanted)
  }
  const columns: readonly Column<ApiKey>[] = [
    {
      label: 'Name',
      size: 'wide',
      cell: (key) => <Link to={`/keys/${encodeURIComponent(key.id)}`}>{nameOf(key)}</Link>,
    },
    { label: 'Kind', isMinor: true, cell: ({ kind }) => enumText(ApiKeyKindSchema, kind) },
    { label: 'Team', isMinor: true, cell: ({ teamId }) => (teamId ? <ThingName kind="teams" id={teamId} /> : 'All') },
    { label: 'Created by', isMinor: true, cell: (key) => <KeyMaker apiKey={key} /> },
    { label: 'State', size: 'narrow', cell: ({ status }) => <StateBadge schema={ApiKeyStatusSchema} value={status} /> },
    { label: 'Last used', isMinor: true, cell: ({ lastUsedAt }) => <When at={lastUsedAt} none="Never" /> },
    {
      label: 'Ends',
      isMinor: true,
      cell: (key) => (
        <>
          <When at={key.revokedAt ?? key.expiresAt} none="Never" />
          <Lifeline apiKey={key} />
        </>
      ),
    },
  ]
  const usable: readonly Filter[] = [
    { name: 'q', label: 'Search by name', kind: 'search' },
    { name: 'status', label: 'State', options: enumOptions(ApiKeyStatusSchema, 'All') },
    { name: 'use', label: 'Use', options: optionsOf('All', { unused: 'Not used for 30 days' }) },
    { name: 'age', label: 'Age', options: [{ value: '', text: 'All' }, ...keyAges] },
    { name: 'left', label: 'Creator', options: optionsOf('Anybody', { yes: 'Deactivated' }) },
    { name: 'maker', label: 'Created by', kind: 'fixed', text: <PersonLink id={filters['maker'] ?? ''} /> },
  ]
  return (
    <ListScreen
      title="API keys"
      filters={usable}
      pages={{ ...pages, rows, readPages }}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: 'No API key yet', children: 'A program signs in with one. Create the first one.' }}
      actions={
        <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
          <Plus size={15} aria-hidden />
          Create an API key
        </Button>
      }
    >
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </ListScreen>
  )
}
