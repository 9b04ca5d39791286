import type { Message } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { EntityTypeService } from '../../../../gen/svc/v2/entity_type_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTeams } from '../../api/names.js'
import { usePages } from '../../api/pages.js'
import { labelOf, oneOf } from '../../api/words.js'
import { useFilters } from '../../ui/address.js'
import { Button } from '../../ui/button.js'
import { SelectField } from '../../ui/field.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { Filters, Screen } from '../../ui/screen.js'
import { SearchField } from '../../ui/search-field.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { Empty, NoRight } from '../../ui/states.js'
import { idOf, itemOf, memberOf, nameOf, type ResourceDeclaration } from './declaration.js'
import { FieldValue } from './field-value.js'
import { itemIn, ResourceForm } from './resource-form.js'

const PAGE_SIZE = 1_000

/** The list of a resource: its columns, its filters, and a way to create one. */
export function ResourceList({ declaration }: { readonly declaration: ResourceDeclaration }) {
  const { path, title, one, list, create, empty } = declaration
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<Message>()
  const navigate = useNavigate()
  const { request, missing } = useListRequest(declaration)
  const why = useWhyNot(list)
  const whyNotCreate = useWhyNot(create)
  const pages = usePages(list, request, why === undefined && missing === undefined)
  const rows: readonly Message[] = pages.rows
  const open = (answer: Message) => {
    const item = itemIn(answer)
    if (item !== undefined) void navigate({ to: `/${path}/${encodeURIComponent(idOf(item))}` })
  }
  return (
    <Screen
      title={title}
      fills
      actions={
        <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
          Create {oneOf(one)}
        </Button>
      }
    >
      {why ? (
        <NoRight why={why} />
      ) : (
        <>
          <ListFilters declaration={declaration} />
          {missing ? (
            <Empty title={`Choose ${missing}`}>The list is one of each.</Empty>
          ) : (
            <PagedTable
              label={title}
              pages={{ ...pages, rows }}
              columns={columnsOf(declaration)}
              keyOf={idOf}
              empty={{ title: 'Nothing here yet', children: empty }}
            />
          )}
        </>
      )}
      {made !== undefined && <SecretDialog secret={secretOf(made) ?? ''} of={one} onClose={() => open(made)} />}
      {isCreating && made === undefined && (
        <ResourceForm
          declaration={declaration}
          given={Object.fromEntries(Object.entries(request).filter(([name]) => name in create.input.field))}
          onClose={() => setCreating(false)}
          onDone={(answer) => (secretOf(answer) === undefined ? open(answer) : setMade(answer))}
        />
      )}
    </Screen>
  )
}

/** The secret that an answer shows once, if it does. */
function secretOf(answer: Message): string | undefined {
  const secret = memberOf(answer, 'secret')
  return typeof secret === 'string' ? secret : undefined
}

function columnsOf({ path, list, columns }: ResourceDeclaration): readonly Column<Message>[] {
  const { field } = itemOf(list)
  return [
    {
      label: 'Name',
      cell: (item) => <Link to={`/${path}/${encodeURIComponent(idOf(item))}`}>{nameOf(item)}</Link>,
    },
    ...columns.flatMap((name, index) => {
      const column = field[name]
      if (column === undefined) throw new Error(`${path} has no field ${name}`)
      const cell = (item: Message) => <FieldValue field={column} item={item} />
      return [{ label: labelOf(name), isMinor: index > 0, cell }]
    }),
  ]
}

/** The request of a list by what the address says; what the list needs and nobody has chosen is missing. */
function useListRequest({ list, filters = [] }: ResourceDeclaration) {
  const [given, change] = useFilters()
  const teams = useTeams()
  const { field } = list.input
  const isPaged = field['pageSize'] !== undefined
  const isWhole = field['includeTotal'] !== undefined
  // Lists without a filter for all teams are of one team.
  const needsTeam = filters.includes('teamId') && !isWhole
  const teamId = given['teamId'] ?? (needsTeam ? teams[0]?.id : undefined)
  const values = { ...given, ...(teamId !== undefined && { teamId }) }
  const narrowed = filters.flatMap((name) => {
    const value = (values as Readonly<Record<string, string>>)[name]
    return value ? [[name, value] as const] : []
  })
  const needed = isWhole ? [] : filters.filter((name) => name !== 'teamId')
  const missing = needed.find((name) => !given[name]) ?? (needsTeam && !teamId ? 'teamId' : undefined)
  const isDefault = needsTeam && teamId !== undefined && given['teamId'] === undefined
  // A link without a team would be another list for whoever sees other teams first.
  useEffect(() => {
    if (isDefault) change({ teamId })
  })
  return {
    request: { ...(isPaged && { pageSize: PAGE_SIZE }), ...Object.fromEntries(narrowed) } as Record<string, never>,
    missing: missing && oneOf(labelOf(missing).toLowerCase()),
  }
}

function ListFilters({ declaration }: { readonly declaration: ResourceDeclaration }) {
  const [given, change] = useFilters()
  const teams = useTeams()
  const { filters = [], list } = declaration
  if (filters.length === 0) return null
  const all = list.input.field['includeTotal'] === undefined ? [] : [{ value: '', text: 'All' }]
  return (
    <Filters>
      {filters.map((name) =>
        name === 'teamId' ? (
          <SelectField
            key={name}
            label="Team"
            value={given[name] ?? ''}
            options={[...all, ...teams.map(({ id, name: text }) => ({ value: id, text }))]}
            onChange={(value) => change({ [name]: value })}
          />
        ) : name !== 'entityTypeId' ? (
          <SearchField
            key={name}
            label={name === 'q' ? 'Name' : `${labelOf(name)} (id)`}
            value={given[name] ?? ''}
            onChange={(value) => change({ [name]: value })}
          />
        ) : (
          <EntityTypeFilter key={name} value={given[name] ?? ''} onChange={(value) => change({ [name]: value })} />
        ),
      )}
    </Filters>
  )
}

interface EntityTypeFilterProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function EntityTypeFilter({ value, onChange }: EntityTypeFilterProps) {
  const { data } = useQuery(EntityTypeService.method.listEntityTypes, { pageSize: PAGE_SIZE })
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return (
    <SelectField
      label="Entity type"
      value={value}
      options={[{ value: '', text: 'Choose' }, ...options]}
      onChange={onChange}
    />
  )
}
