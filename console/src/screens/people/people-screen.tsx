import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import {
  FieldOwnerSchema,
  type User,
  UserProfileFieldSchema,
  UserRoleSchema,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { enumOptions, enumText } from '../../api/words.js'
import { type Search, useFilters } from '../../ui/address.js'
import { Badge } from '../../ui/button.js'
import { SelectField } from '../../ui/field.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { Filters, Screen } from '../../ui/screen.js'
import { SearchField } from '../../ui/search-field.js'
import { NoRight } from '../../ui/states.js'
import { peopleRequest } from './people-request.js'

const columns: readonly Column<User>[] = [
  {
    label: 'Name',
    size: 'wide',
    cell: (user) => (
      <Link to="/people/$id" params={{ id: user.id }}>
        {user.name || user.email}
      </Link>
    ),
  },
  { label: 'Address', size: 'wide', isMinor: true, cell: (user) => user.email },
  { label: 'Department', cell: (user) => user.department },
  { label: 'Job title', isMinor: true, cell: (user) => user.jobTitle },
  { label: 'Role', size: 'narrow', isMinor: true, cell: (user) => enumText(UserRoleSchema, user.role) },
  {
    label: 'State',
    size: 'narrow',
    cell: (user) => (user.deactivatedAt === undefined ? 'Active' : <Badge tone="warn">Deactivated</Badge>),
  },
]

/** The people of the organization, searched and filtered by what the address says. */
export function PeopleScreen() {
  const [filters, change] = useFilters()
  const why = useWhyNot(UserService.method.listUsers)
  const request = peopleRequest(filters)
  const pages = usePages(UserService.method.listUsers, request, why === undefined)
  const total = useTotal(UserService.method.listUsers, request, why === undefined && pages.isSuccess)
  return (
    <Screen title="People" fills actions={<Link to="/people/changes">Change many from a file</Link>}>
      {why ? (
        <NoRight why={why} />
      ) : (
        <>
          <PeopleFilters filters={filters} onChange={change} />
          <PagedTable
            label="People"
            pages={pages}
            total={total}
            columns={columns}
            keyOf={({ id }) => id}
            empty={{
              title: 'Nobody matches',
              children:
                'Take a filter away, or bring people in: by a directory, by ingestion, by import or by the API.',
            }}
          />
        </>
      )}
    </Screen>
  )
}

interface PeopleFiltersProps {
  readonly filters: Search
  readonly onChange: (changes: Search) => void
}

function PeopleFilters({ filters, onChange }: PeopleFiltersProps) {
  const departments = useQuery(UserService.method.listDepartmentOptions)
  const names = departments.data?.data.map(({ name }) => ({ value: name, text: name })) ?? []
  const select = (name: string, label: string, options: { value: string; text: string }[]) => (
    <SelectField
      label={label}
      value={filters[name] ?? ''}
      options={options}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <Filters>
      <SearchField label="Name or address" value={filters['q'] ?? ''} onChange={(q) => onChange({ q })} />
      {select('department', 'Department', [{ value: '', text: 'All' }, ...names])}
      {select('role', 'Role', enumOptions(UserRoleSchema, 'All'))}
      {select('state', 'State', [
        { value: '', text: 'Active' },
        { value: 'deactivated', text: 'Deactivated' },
        { value: 'all', text: 'All' },
      ])}
      {select('field', 'Whose field', enumOptions(UserProfileFieldSchema, 'Any'))}
      {select('owner', 'is owned by', enumOptions(FieldOwnerSchema, 'Anybody'))}
    </Filters>
  )
}
