import { JourneyHealthCheckStatusSchema, WorkflowRunStatusSchema } from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink } from '../../api/person.js'
import { Badge } from '../../ui/button.js'
import type { Column } from '../../ui/paged-table.js'
import { ShortTable } from '../../ui/short-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { dateText } from '../../ui/when.js'
import type { TaskFacts } from './journey-facts.js'

const columns: readonly Column<TaskFacts>[] = [
  { label: 'Task', cell: ({ task }) => task.name },
  { label: 'State', cell: ({ status }) => status },
  { label: 'Waits for', cell: ({ waitsFor }) => waitsFor.map(({ name }) => name).join(', ') || '–' },
  { label: 'Assigned to', cell: ({ task }) => <PersonLink id={task.assignedToUserId} /> },
  {
    label: 'Due',
    cell: ({ task }) => (
      <>
        {dateText(task.dueDate) || '–'} {task.isOverdue && <Badge tone="bad">Late</Badge>}
      </>
    ),
  },
  { label: 'Checks and failures', cell: (facts) => <ChecksAndFailures facts={facts} /> },
]

/** The tasks of a journey: everything that the graph shows, in a table. */
export function TaskTable({ facts }: { readonly facts: readonly TaskFacts[] }) {
  return <ShortTable label="Tasks in a table" columns={columns} rows={facts} keyOf={({ task }) => task.id} />
}

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
