import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/dist/esm/icons/plus.mjs'
import { useState } from 'react'
import {
  type CreateUserResponse,
  FieldOwnerSchema,
  type User,
  UserProfileFieldSchema,
  UserRole,
  UserRoleSchema,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages, useTotal } from '../../api/pages.js'
import { PersonLink } from '../../api/things.js'
import { enumOptions, enumText, optionsOf } from '../../api/words.js'
import { type Search, useFilters } from '../../ui/address.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import type { Filter } from '../../ui/filters.js'
import { ListScreen } from '../../ui/list-screen.js'
import type { Column } from '../../ui/paged-table.js'
import { PersonName } from '../../ui/person-name.js'
import { personForm, profileFields } from '../person/person-form.js'
import { ResourceForm } from '../resource/resource-form.js'
import { peopleRequest } from './people-request.js'

const columns: readonly Column<User>[] = [
  { label: 'Name', cell: (user) => <PersonName person={user} /> },
  { label: 'Email', isMinor: true, cell: (user) => user.email },
  { label: 'Department', isMinor: true, cell: (user) => user.department },
  { label: 'Job title', isMinor: true, cell: (user) => user.jobTitle },
  { label: 'Role', size: 'narrow', isMinor: true, cell: (user) => enumText(UserRoleSchema, user.role) },
  {
    label: 'State',
    size: 'narrow',
    cell: ({ deactivatedAt }) => (deactivatedAt ? <Badge tone="warn">Deactivated</Badge> : 'Active'),
  },
]

/** The people of the organization, searched and filtered by what the address says. */
export function PeopleScreen() {
  const [filters] = useFilters()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const whyNotCreate = useWhyNot(UserService.method.createUser)
  const request = peopleRequest(filters)
  const pages = usePages(UserService.method.listUsers, request)
  const total = useTotal(UserService.method.listUsers, request, { isWanted: pages.isSuccess })
  return (
    <ListScreen
      title="People"
      filters={usePeopleFilters(filters)}
      pages={pages}
      total={total.data}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{
        title: 'Nobody yet',
        children: 'Add a person, or bring people in: by a directory, by ingestion, by import or by the API.',
      }}
      actions={
        <Toolbar>
          {whyNotCreate === undefined && (
            <Link to="/people/changes" className={controls['button']}>
              Change many from a file
            </Link>
          )}
          <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
            <Plus size={15} aria-hidden />
            Add a person
          </Button>
        </Toolbar>
      }
    >
      {isCreating && (
        <ResourceForm
          declaration={personForm}
          verb="Add"
          only={['email', ...profileFields.slice(0, 4), 'role']}
          given={{ role: String(UserRole.ORG_MEMBER) }}
          onClose={() => setCreating(false)}
          onDone={(answer) => {
            const { data } = answer as CreateUserResponse
            void navigate({ to: '/people/$id', params: { id: data?.id ?? '' } })
          }}
        />
      )}
    </ListScreen>
  )
}

function usePeopleFilters(filters: Search): readonly Filter[] {
  const { listDepartmentOptions } = UserService.method
  const departments = useQuery(listDepartmentOptions, undefined, {
    enabled: useWhyNot(listDepartmentOptions) === undefined,
  })
  const names = departments.data?.data.map(({ name }) => ({ value: name, text: name })) ?? []
  return [
    { name: 'q', label: 'Name or email', kind: 'search' },
    { name: 'department', label: 'Department', options: [{ value: '', text: 'All' }, ...names], asked: departments },
    { name: 'role', label: 'Role', options: enumOptions(UserRoleSchema, 'All') },
    { name: 'state', label: 'State', options: optionsOf('Active', { deactivated: 'Deactivated', all: 'All' }) },
    { name: 'owned', label: 'Owner', options: ownedOptions },
    { name: 'manager', label: 'Reports to', kind: 'fixed', text: <PersonLink id={filters['manager'] ?? ''} /> },
  ]
}

/** Each field of a profile with each of those who may own it. */
const ownedOptions = [
  { value: '', text: 'Any' },
  ...enumOptions(UserProfileFieldSchema, '')
    .slice(1)
    .flatMap((field) =>
      enumOptions(FieldOwnerSchema, '')
        .slice(1)
        .map((owner) => ({ value: `${field.value}.${owner.value}`, text: `${field.text}: ${owner.text}` })),
    ),
]
