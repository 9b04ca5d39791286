import { useQuery } from '@connectrpc/connect-query'
import { Fragment } from 'react'
import { JourneyService } from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink, usePersonName } from '../../api/person.js'
import { Badge } from '../../ui/button.js'
import { lateText } from '../../ui/when.js'
import { nextTasks, type TaskFacts, taskFacts } from './journey-facts.js'
import styles from './journeys.module.css'

/** What a journey waits for: the tasks that could be done now, and whose they are. */
export function WaitsFor({ facts }: { readonly facts: readonly TaskFacts[] }) {
  const next = nextTasks(facts)
  if (next.length === 0) return <>Nothing</>
  return (
    <ul className={styles['waits']}>
      {next.map(({ task, failures }) => (
        <li key={task.id}>
          <strong>{task.name}</strong>
          {task.assignedToUserId && <PersonLink id={task.assignedToUserId} />}
          {task.isOverdue && <Badge tone="bad">{lateText(task.dueDate)} late</Badge>}
          {failures.length > 0 && <Badge tone="bad">Failed</Badge>}
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
  const next = nextTasks(taskFacts(data.data))
  if (next.length === 0) return <>Nothing</>
  return (
    <span title={next.map(({ task }) => task.name).join(', ')}>
      {next.map(({ task }, index) => (
        <Fragment key={task.id}>
          {index > 0 && ', '}
          {task.name}
          {task.assignedToUserId && <Assignee id={task.assignedToUserId} />}
        </Fragment>
      ))}
    </span>
  )
}

/** Who is to do it, for those who may see that. */
function Assignee({ id }: { readonly id: string }) {
  const name = usePersonName(id)
  return name === id ? null : ` (${name})`
}
