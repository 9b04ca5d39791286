import { useQuery } from '@connectrpc/connect-query'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink } from '../../api/names.js'
import { Badge } from '../../ui/button.js'
import { nextTasks, type TaskFacts, taskFacts } from './journey-facts.js'

/** What a journey waits for: the tasks that could be done now, and whose they are. */
export function WaitsFor({ facts }: { readonly facts: readonly TaskFacts[] }) {
  const next = nextTasks(facts)
  if (next.length === 0) return <>Nothing</>
  return (
    <ul>
      {next.map(({ task, failures }) => (
        <li key={task.id}>
          {task.name}
          {task.assignedToUserId && (
            <>
              , assigned to <PersonLink id={task.assignedToUserId} />
            </>
          )}{' '}
          {task.isOverdue && <Badge tone="bad">Late</Badge>} {failures.length > 0 && <Badge tone="bad">Failed</Badge>}
        </li>
      ))}
    </ul>
  )
}

/** The same on one line, for a journey of a list, which has no tasks: it is read. */
export function WaitsForText({ id }: { readonly id: string }) {
  const { data, error } = useQuery(JourneyService.method.getJourney, { id })
  if (error) return <>Cannot be read</>
  if (data?.data === undefined) return <>…</>
  const names = nextTasks(taskFacts(data.data)).map(({ task }) => task.name)
  const text = names.join(', ') || 'Nothing'
  return <span title={text}>{text}</span>
}
