import {
  JourneyHealthCheckStatus,
  JourneyHealthCheckStatusSchema,
  WorkflowRunStatusSchema,
} from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink } from '../../api/names.js'
import { enumText } from '../../api/words.js'
import { Badge } from '../../ui/button.js'
import { Scroll } from '../../ui/scroll.js'
import table from '../../ui/table.module.css'
import { dateText } from '../../ui/when.js'
import type { TaskFacts } from './journey-facts.js'

/** The tasks of a journey: everything that the graph shows, in a table. */
export function TaskTable({ facts }: { readonly facts: readonly TaskFacts[] }) {
  return (
    <Scroll label="Tasks in a table">
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">State</th>
            <th scope="col">Waits for</th>
            <th scope="col">Assigned to</th>
            <th scope="col">Due</th>
            <th scope="col">Checks and failures</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ task, status, waitsFor, checks, failures }) => (
            <tr key={task.id}>
              <th scope="row">{task.name}</th>
              <td>{status}</td>
              <td>{waitsFor.map(({ name }) => name).join(', ') || '–'}</td>
              <td>
                <PersonLink id={task.assignedToUserId} />
              </td>
              <td>
                {dateText(task.dueDate) || '–'} {task.isOverdue && <Badge tone="bad">Late</Badge>}
              </td>
              <td>
                {checks.length + failures.length === 0 && '–'}
                <ul>
                  {checks.map((check) => (
                    <li key={check.id}>
                      {check.workflowName || 'Check'}{' '}
                      <Badge tone={check.status === JourneyHealthCheckStatus.FAILING ? 'bad' : 'plain'}>
                        {enumText(JourneyHealthCheckStatusSchema, check.status)}
                      </Badge>
                    </li>
                  ))}
                  {failures.map((failure) => (
                    <li key={`${failure.workflowCallId} ${failure.runId}`}>
                      {failure.workflowName}{' '}
                      <Badge tone="bad">{enumText(WorkflowRunStatusSchema, failure.runStatus)}</Badge>{' '}
                      {failure.validationErrors?.displayMessage ||
                        failure.statusCheckResult?.message ||
                        failure.runResult}
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
