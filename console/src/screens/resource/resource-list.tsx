import type { Message } from '@bufbuild/protobuf'
import { Link, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/dist/esm/icons/plus.mjs'
import { useState } from 'react'
import { useOwnTeams, useWhyNot } from '../../api/caller-context.js'
import { idOf, nameOf, teamOf } from '../../api/message.js'
import { usePages, useTotal } from '../../api/pages.js'
import { itemOf } from '../../api/standard-methods.js'
import { useTagged } from '../../api/tagged.js'
import { type Kind, kindOf, methodsOf, ThingName, useChoices } from '../../api/things.js'
import { labelOf, oneOf } from '../../api/words.js'
import { listAt, useFilters } from '../../ui/address.js'
import { Button, Toolbar } from '../../ui/button.js'
import { controlOf } from '../../ui/field-draft.js'
import type { Filter } from '../../ui/filters.js'
import { ListScreen } from '../../ui/list-screen.js'
import type { Column } from '../../ui/paged-table.js'
import { BatchGrid } from './batch-grid.js'
import { entryOf, type ResourceDeclaration } from './declaration.js'
import { FieldValue } from './field-value.js'
import { itemIn, ResourceForm } from './resource-form.js'

/** So many are drawn soon, and read beside the frames of a scroll. */
const PAGE_SIZE = 200

/** The list of a resource: its columns, its filters, and a way to create one. */
export function ResourceList({ declaration }: { readonly declaration: ResourceDeclaration }) {
  const { path, title, one, list, create, update, empty } = declaration
  const [isGrid, setGrid] = useState(false)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const whyNotUpdate = useWhyNot(update)
  const [isCreating, setCreating] = useState(false)
  const navigate = useNavigate()
  const { request, missing } = useListRequest(declaration)
  const whyNotCreate = useWhyNot(create, { teamId: useOwnerTeam(declaration, request) })
  const pages = usePages(list, { ...request, pageSize: PAGE_SIZE }, { isWanted: missing === undefined })
  const total = useTotal(list, request, { isWanted: pages.hasNextPage && 'includeTotal' in list.input.field })
  const rows: readonly Message[] = pages.rows
  const isBatch = entryOf(update).list !== undefined
  const picked = rows.filter((item) => chosen.includes(idOf(item)))
  const choice: Column<Message> = {
    label: 'Choose',
    hidesLabel: true,
    size: 'tiny',
    cell: (item) => (
      <input
        type="checkbox"
        aria-label={`Choose ${nameOf(item)}`}
        checked={chosen.includes(idOf(item))}
        onChange={({ target }) =>
          setChosen([...chosen.filter((id) => id !== idOf(item)), ...(target.checked ? [idOf(item)] : [])])
        }
      />
    ),
  }
  const open = (answer: Message) => {
    const item = itemIn(answer)
    if (item !== undefined) void navigate({ to: `/${path}/${encodeURIComponent(idOf(item))}` })
  }
  return (
    <ListScreen
      title={title}
      filters={filtersOf(declaration)}
      total={total.data}
      pages={missing ? { ...pages, rows: [], isPending: false } : pages}
      columns={[...(isBatch ? [choice] : []), ...columnsOf(declaration, request['teamId'])]}
      keyOf={idOf}
      empty={{
        title: missing ? `Choose ${oneOf(labelOf(missing).toLowerCase())}` : 'Nothing here yet',
        children: missing ? <Choices path={path} name={missing} /> : empty,
      }}
      actions={
        <Toolbar>
          {isBatch && (
            <Button
              onClick={() => setGrid(true)}
              why={whyNotUpdate ?? (rows.length === 0 ? 'There is nothing to edit.' : undefined)}
            >
              {picked.length === 0 ? 'Edit as a table' : `Edit ${picked.length} as a table`}
            </Button>
          )}
          <Button look="main" onClick={() => setCreating(true)} why={whyNotCreate}>
            <Plus size={15} aria-hidden />
            Create {oneOf(one)}
          </Button>
        </Toolbar>
      }
    >
      {isGrid && (
        <BatchGrid {...{ declaration, request, chosen: picked, known: rows }} onClose={() => setGrid(false)} />
      )}
      {isCreating && (
        <ResourceForm
          declaration={declaration}
          given={Object.fromEntries(
            Object.entries(request).filter(([name, value]) => name in create.input.field && value !== EVERY_TEAM),
          )}
          onClose={() => setCreating(false)}
          onDone={open}
        />
      )}
    </ListScreen>
  )
}

/** The columns of a resource: its names, and the fields that are declared. A team lists what others share with it, too. */
export function columnsOf(
  { path, list, get, columns }: ResourceDeclaration,
  listOf: string = EVERY_TEAM,
): readonly Column<Message>[] {
  const { field } = itemOf(list)
  return [
    { label: 'Name', cell: (item) => <NameLink {...{ path, get, item }} /> },
    ...columns.flatMap((name, index) => {
      const column = field[name]
      if (column === undefined) throw new Error(`${path} has no field ${name}`)
      const isShared = (item: Message) => name === 'teamId' && ![EVERY_TEAM, teamOf(item)].includes(listOf)
      const cell = (item: Message) => (
        <>
          {isShared(item) && 'Shared by '}
          <FieldValue field={column} item={item} />
        </>
      )
      return [{ label: labelOf(name), isMinor: index > 0, isNumber: controlOf(column) === 'number', cell }]
    }),
  ]
}

/** A link to a thing; its name where the caller may not open what another team shares. */
function NameLink({ path, get, item }: Pick<ResourceDeclaration, 'path' | 'get'> & { readonly item: Message }) {
  const why = useWhyNot(get, { teamId: teamOf(item) })
  if (why !== undefined) return <span title={why}>{nameOf(item)}</span>
  return <Link to={`/${path}/${encodeURIComponent(idOf(item))}`}>{nameOf(item)}</Link>
}

/** Lists that search by name are read across teams where none is chosen (AIP-159). */
const EVERY_TEAM = '-'

/** The request of a list by what the address says; what the list needs and nobody has chosen is missing. */
function useListRequest(declaration: ResourceDeclaration) {
  const { list, owner } = declaration
  const [given] = useFilters()
  const { field } = list.input
  const isWhole = field['includeTotal'] !== undefined
  const narrowed = namesOf(declaration).flatMap((name) => {
    const value = given[name] ?? (name === 'teamId' && !isWhole && field['q'] ? EVERY_TEAM : '')
    return value ? [[name, value] as const] : []
  })
  const missing = !isWhole && owner && !given[owner] ? owner : undefined
  return { request: Object.fromEntries(narrowed) as Record<string, never>, missing }
}

/** The team of what a thing, or all of a list, belongs to: it is read where rights differ from team to team. */
export function useOwnerTeam({ owner = '', update }: ResourceDeclaration, item: object): string | undefined {
  const id: unknown = Reflect.get(item, owner)
  const isAsked = useOwnTeams(update) !== undefined && Boolean(id)
  const { data } = useTagged(methodsOf(kindOf(owner) ?? 'teams').get, { id } as never, isAsked)
  return data && teamOf(itemIn(data.message) ?? data.message)
}

/** What a list that is of one thing can be of, each with its team. */
function Choices({ path, name }: { readonly path: string; readonly name: string }) {
  const { choices } = useChoices(kindOf(name) as Kind, '')
  return choices.map(({ id, name: text, teamId = '' }) => (
    <p key={id}>
      <Link {...listAt(`/${path}`, { [name]: id })}>{text}</Link> · <ThingName kind="teams" id={teamId} />
    </p>
  ))
}

/** The names of the filters of a list. */
const namesOf = ({ list, owner = '' }: ResourceDeclaration): readonly string[] =>
  ['q', 'teamId', owner].filter((name) => name === 'q' || name in list.input.field)

/** The filters of a list. */
function filtersOf(declaration: ResourceDeclaration): readonly Filter[] {
  return namesOf(declaration).map((name): Filter => {
    const of = kindOf(name)
    return of ? { name, label: labelOf(name), kind: 'thing', of } : { name, label: 'Search by name', kind: 'search' }
  })
}
