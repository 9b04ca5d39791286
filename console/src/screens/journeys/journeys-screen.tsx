import { Link } from '@tanstack/react-router'
import { type Journey, JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTeamName, useTeams } from '../../api/names.js'
import { usePages, useTotal } from '../../api/pages.js'
import { type Search, useFilters } from '../../ui/address.js'
import { Badge } from '../../ui/button.js'
import { SelectField } from '../../ui/field.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { Filters, Screen } from '../../ui/screen.js'
import { NoRight } from '../../ui/states.js'
import { dateText } from '../../ui/when.js'
import { WaitsForText } from './waits-for.js'

const PAGE_SIZE = 200

/** The journeys: which are late, and which fail. */
export function JourneysScreen() {
  const [filters, change] = useFilters()
  const teams = useTeams()
  const teamName = useTeamName()
  const why = useWhyNot(JourneyService.method.listJourneys)
  const request = requestFrom(filters)
  const pages = usePages(JourneyService.method.listJourneys, { ...request, pageSize: PAGE_SIZE }, why === undefined)
  const total = useTotal(JourneyService.method.listJourneys, request, why === undefined)
  const columns = columnsFor(filters['state'] === 'overdue', teamName)
  const select = (name: string, label: string, options: readonly { value: string; text: string }[]) => (
    <SelectField
      label={label}
      value={filters[name] ?? ''}
      options={options}
      onChange={(value) => change({ [name]: value })}
    />
  )
  return (
    <Screen title="Journeys" fills>
      {why ? (
        <NoRight why={why} />
      ) : (
        <>
          <Filters>
            {select('team', 'Team', [
              { value: '', text: 'All' },
              ...teams.map(({ id, name }) => ({ value: id, text: name })),
            ])}
            {select('state', 'State', [
              { value: '', text: 'Under way' },
              { value: 'overdue', text: 'Late' },
              { value: 'failing', text: 'With a failing check' },
              { value: 'archived', text: 'Archived' },
            ])}
          </Filters>
          <PagedTable
            label="Journeys"
            pages={pages}
            total={total}
            columns={columns}
            keyOf={({ id }) => id}
            empty={{ title: 'No journey matches', children: 'Workflows make journeys; an import brings them in.' }}
          />
        </>
      )}
    </Screen>
  )
}

/** Those of late journeys say what each waits for, which is read for each that is in sight. */
function columnsFor(areLate: boolean, teamName: (id: string) => string): readonly Column<Journey>[] {
  const name: Column<Journey> = {
    label: 'Journey',
    cell: ({ id, name: text }) => (
      <Link to="/journeys/$id" params={{ id }}>
        {text}
      </Link>
    ),
  }
  const due: Column<Journey> = { label: 'Due', size: 'narrow', cell: ({ dueDate }) => dateText(dueDate) || '–' }
  if (areLate) return [name, due, { label: 'Waits for', cell: ({ id }) => <WaitsForText id={id} /> }]
  return [
    name,
    { label: 'Number', size: 'narrow', isMinor: true, cell: ({ friendlyIdentifier }) => friendlyIdentifier },
    { label: 'Team', isMinor: true, cell: ({ teamId }) => teamName(teamId) },
    due,
    { label: 'Progress', size: 'narrow', isMinor: true, cell: ({ progressPercent }) => `${progressPercent} %` },
    { label: 'Checks', size: 'narrow', isMinor: true, cell: (journey) => <CheckCounts journey={journey} /> },
  ]
}

/** How many checks of a journey are failing, or warn. */
export function CheckCounts({ journey: { healthCheckCounts: counts } }: { readonly journey: Journey }) {
  if (counts === undefined || counts.totalCount === 0) return <>–</>
  if (counts.failingCount > 0) return <Badge tone="bad">{counts.failingCount} failing</Badge>
  if (counts.warningCount > 0) return <Badge tone="warn">{counts.warningCount} warn</Badge>
  return <Badge tone="good">{counts.passingCount} pass</Badge>
}

function requestFrom({ team = '', state = '' }: Search) {
  return {
    teamId: team,
    isArchived: state === 'archived',
    ...(state === 'overdue' && { isOverdue: true }),
    ...(state === 'failing' && { isFailing: true }),
  }
}
