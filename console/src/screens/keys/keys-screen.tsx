import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/dist/esm/icons/plus.mjs'
import { useState } from 'react'
import { type ApiKey, ApiKeyService, ApiKeyStatusSchema } from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink, useTeamName } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { enumOptions } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { type Filter, Filters } from '../../ui/filters.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { Screen } from '../../ui/screen.js'
import { NoRight } from '../../ui/states.js'
import { When } from '../../ui/when.js'
import { CreateKey } from './create-key.js'
import { isLeftBehind, isOfAge, isUnused, KeyMaker, KeyStatus, keyAges, kindText } from './key-facts.js'
import { Lifeline } from './lifeline.js'

const PAGE_SIZE = 1_000

/** The API keys: which are in use, and which nobody uses. */
export function KeysScreen() {
  const [filters] = useFilters()
  const [isCreating, setCreating] = useState(false)
  const teamName = useTeamName()
  const why = useWhyNot(ApiKeyService.method.listApiKeys)
  const whyNotCreate = useWhyNot(ApiKeyService.method.createApiKey)
  const request = { pageSize: PAGE_SIZE, createdByUserId: filters['maker'] ?? '' }
  const pages = usePages(ApiKeyService.method.listApiKeys, request, why === undefined)
  const now = Date.now()
  const age = keyAges.find(({ value }) => value === filters['age'])
  const isWanted = (key: ApiKey) =>
    (!filters['status'] || key.status === Number(filters['status'])) &&
    (age === undefined || isOfAge(key, age, now)) &&
    (filters['use'] !== 'unused' || isUnused(key, now)) &&
    (filters['left'] !== 'yes' || isLeftBehind(key))
  const rows = pages.rows.filter(isWanted)
  const readAll = async () => (await pages.readAll()).filter(isWanted)
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
    {
      label: 'Ends',
      isMinor: true,
      cell: (key) => (
        <>
          {key.expiresAt ? <When at={key.expiresAt} /> : 'Never'}
          <Lifeline apiKey={key} />
        </>
      ),
    },
  ]
  const usable: readonly Filter[] = [
    { name: 'status', label: 'State', options: enumOptions(ApiKeyStatusSchema, 'All') },
    {
      name: 'use',
      label: 'Use',
      options: [
        { value: '', text: 'All' },
        { value: 'unused', text: 'Not used for 30 days' },
      ],
    },
    { name: 'age', label: 'Age', options: [{ value: '', text: 'All' }, ...keyAges] },
    {
      name: 'left',
      label: 'Creator',
      options: [
        { value: '', text: 'Anybody' },
        { value: 'yes', text: 'Deactivated, the key works on' },
      ],
    },
    { name: 'maker', label: 'Created by', kind: 'fixed', text: <PersonLink id={filters['maker'] ?? ''} /> },
  ]
  return (
    <Screen
      title="API keys"
      fills
      actions={
        <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
          <Plus size={15} aria-hidden />
          Create an API key
        </Button>
      }
    >
      {why ? (
        <NoRight why={why} />
      ) : (
        <>
          <Filters filters={usable} />
          <PagedTable
            label="API keys"
            pages={{ ...pages, rows, readAll }}
            columns={columns}
            keyOf={({ id }) => id}
            empty={{ title: 'No API key matches', children: 'Take a filter away, or create one for a program.' }}
          />
        </>
      )}
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </Screen>
  )
}
