import { Fragment } from 'react'
import type { Journey } from '../../../../gen/svc/v2/journey_pb.js'
import { PersonLink, usePersonName } from '../../api/person.js'
import { Badge } from '../../ui/button.js'
import { FirstFew } from '../../ui/first-few.js'
import { lateText } from '../../ui/when.js'
import { nextTasks, type TaskFacts } from './journey-facts.js'
import styles from './journeys.module.css'

/** What a journey waits for: the tasks that could be done now, and whose they are. */
export function WaitsFor({ facts }: { readonly facts: readonly TaskFacts[] }) {
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

/** The same on one line, for a journey of a list, of whose tasks only these are there. */
export function WaitsForText({ journey: { tasks } }: { readonly journey: Journey }) {
  if (tasks.length === 0) return <>Nothing</>
  return (
    <span title={tasks.map(({ name }) => name).join(', ')}>
      {tasks.map((task, index) => (
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
