import { lazyRouteComponent } from '@tanstack/react-router'
import { type ReactNode, Suspense, useMemo } from 'react'
import {
  type Journey,
  JourneyHealthCheckStatusSchema,
  JourneyService,
  WorkflowRunStatusSchema,
} from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink, ThingLink } from '../../api/things.js'
import { useFilters } from '../../ui/address.js'
import { Badge } from '../../ui/button.js'
import { FirstFew } from '../../ui/first-few.js'
import type { Column } from '../../ui/paged-table.js'
import { Facts, Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { Empty, Skeleton } from '../../ui/states.js'
import { ThingScreen } from '../../ui/thing-screen.js'
import { dateText, dayStart, dayText, lateText, When } from '../../ui/when.js'
import { journeyMoments, nextTasks, type TaskFacts, taskFacts } from './journey-facts.js'
import styles from './journeys.module.css'
import { CheckCounts, Progress } from './journeys-screen.js'

const JourneyGraph = lazyRouteComponent(() => import('./journey-graph.js'), 'JourneyGraph')

/** A journey: what it waits for, and its tasks as a graph, a table and a time line. */
export function JourneyScreen() {
  return (
    <ThingScreen method={JourneyService.method.getJourney} one="journey" path="journeys" title="Journeys">
      {({ data }, _, above) => data && <JourneyParts journey={data} above={above} />}
    </ThingScreen>
  )
}

function JourneyParts({ journey, above }: { readonly journey: Journey; readonly above: ReactNode }) {
  const facts = useMemo(() => taskFacts(journey), [journey])
  const late = lateText(journey.dueDate)
  const isUnderWay = journey.archivedAt === undefined && journey.progressPercent < 100
  return (
    <Screen
      id={journey.id}
      title={journey.name}
      above={above}
      lead={journey.description}
      meta={
        <>
          {journey.friendlyIdentifier && <span>{journey.friendlyIdentifier}</span>}
          {journey.dueDate && <span>Due {dateText(journey.dueDate)}</span>}
          {isUnderWay && late && <Badge tone="bad">{late} late</Badge>}
          {journey.healthCheckCounts?.totalCount ? <CheckCounts journey={journey} /> : null}
          {journey.archivedAt && <Badge tone="warn">Archived</Badge>}
        </>
      }
    >
      {isUnderWay && (
        <Panel title="What it waits for">
          <WaitsFor facts={facts} />
        </Panel>
      )}
      <Panel title="About">
        <Facts
          facts={{
            Team: <ThingLink kind="teams" id={journey.teamId} />,
            Progress: <Progress journey={journey} />,
            'Requested by': <PersonLink id={journey.requesterUserId} />,
            'Their manager': <PersonLink id={journey.requesterManagerUserId} />,
            'Started by': journey.createdByWorkflow?.name ?? '',
            Started: <When at={journey.createdAt} exact />,
            ...(journey.archivedAt && { Archived: <When at={journey.archivedAt} exact /> }),
          }}
        />
      </Panel>
      <Panel title="Tasks">
        {facts.length === 0 ? (
          <Empty title="No tasks">Whoever runs the journey adds them.</Empty>
        ) : (
          <Views journey={journey} facts={facts} />
        )}
      </Panel>
    </Screen>
  )
}

const views = { graph: 'Graph', table: 'Table', time: 'Time line' }

function Views({ journey, facts }: { readonly journey: Journey; readonly facts: readonly TaskFacts[] }) {
  const [{ view = 'graph' }, change] = useFilters()
  return (
    <>
      <fieldset className={styles['tabs']}>
        <legend className="unseen">View of the tasks</legend>
        {Object.entries(views).map(([name, title]) => (
          <button
            key={name}
            type="button"
            className={styles['tab']}
            aria-pressed={view === name}
            onClick={() => change({ view: name === 'graph' ? '' : name })}
          >
            {title}
          </button>
        ))}
      </fieldset>
      {view === 'table' ? (
        <ShortTable label="Tasks in a table" columns={columns} rows={facts} keyOf={({ task }) => task.id} />
      ) : view === 'time' ? (
        <Moments journey={journey} />
      ) : (
        <Suspense fallback={<Skeleton />}>
          <JourneyGraph facts={facts} />
        </Suspense>
      )}
    </>
  )
}

function Moments({ journey }: { readonly journey: Journey }) {
  return (
    <ol className={styles['moments']}>
      {journeyMoments(journey).map(({ at, text, isBad }) => (
        <li key={`${at} ${text}`} className={isBad ? styles['late'] : undefined}>
          {dayStart(at) ? <time dateTime={at}>{dayText(at)}</time> : <When at={at} exact />} {text}
        </li>
      ))}
    </ol>
  )
}

const columns: readonly Column<TaskFacts>[] = [
  { label: 'Task', cell: ({ task }) => task.name },
  { label: 'State', cell: ({ status }) => status },
  { label: 'Waits for', cell: ({ waitsFor }) => waitsFor.map(({ name }) => name).join(', ') || '–' },
  { label: 'Assigned to', cell: ({ task }) => <PersonLink id={task.assignedToUserId} /> },
  {
    label: 'Due',
    cell: ({ task }) => (
      <>
        {dateText(task.dueDate) || '–'} {task.isOverdue && <Badge tone="bad">{lateText(task.dueDate)} late</Badge>}
      </>
    ),
  },
  { label: 'Checks and failures', cell: (facts) => <ChecksAndFailures facts={facts} /> },
]

function ChecksAndFailures({ facts: { checks, failures } }: { readonly facts: TaskFacts }) {
  if (checks.length + failures.length === 0) return <>–</>
  return (
    <ul>
      {checks.map((check) => (
        <li key={check.id}>
          {check.workflowName || 'Check'} <StateBadge schema={JourneyHealthCheckStatusSchema} value={check.status} />
        </li>
      ))}
      {failures.map((failure) => (
        <li key={`${failure.workflowCallId} ${failure.runId}`}>
          {failure.workflowName} <StateBadge schema={WorkflowRunStatusSchema} value={failure.runStatus} />{' '}
          {failure.validationErrors?.displayMessage || failure.statusCheckResult?.message || failure.runResult}
        </li>
      ))}
    </ul>
  )
}

/** What a journey waits for: the tasks that could be done now, and whose they are. */
function WaitsFor({ facts }: { readonly facts: readonly TaskFacts[] }) {
  const next = nextTasks(facts)
  if (next.length === 0) return <>Nothing</>
  return (
    <FirstFew items={next} many="tasks">
      {(shown) => (
        <ul className={styles['waits']}>
          {shown.map(({ task, failures }) => (
            <li key={task.id}>
              <strong>{task.name}</strong>
              {task.assignedToUserId && <PersonLink id={task.assignedToUserId} />}
              {task.isOverdue && <Badge tone="bad">{lateText(task.dueDate)} late</Badge>}
              {failures.length > 0 && <Badge tone="bad">Failed</Badge>}
            </li>
          ))}
        </ul>
      )}
    </FirstFew>
  )
}
