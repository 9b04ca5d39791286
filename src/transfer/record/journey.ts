import type { Journey, JourneyTask } from '../../../gen/svc/v2/journey_pb.js'
import { invalidField } from '../../errors.js'
import { settleCustomField } from './custom-field.js'

const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Puts the ids of the journey and its tasks into lower case everywhere, and checks that its parts fit together. */
export function settleJourney(journey: Journey): undefined {
  journey.id = journey.id.toLowerCase()
  for (const task of journey.tasks) {
    task.id = task.id.toLowerCase()
    task.parentTaskId = task.parentTaskId.toLowerCase()
    task.dependsOnIds = task.dependsOnIds.map((id) => id.toLowerCase())
  }
  for (const part of [...journey.healthChecks, ...journey.workflowFailures]) {
    part.taskId = taskReferenceOf(part.taskId)
    part.subtaskId = taskReferenceOf(part.subtaskId)
  }
  requireTaskOrder(journey.tasks)
  for (const [index, field] of journey.customFields.entries()) settleCustomField(`customFields[${index}].value`, field)
}

/** What a check or a run names need not be a task; if it is a UUID, it is put into the same case as the task's. */
function taskReferenceOf(id: string): string {
  return uuidFormat.test(id) ? id.toLowerCase() : id
}

/** Refuses parents and dependencies outside of the journey, and cycles. */
function requireTaskOrder(tasks: readonly JourneyTask[]): void {
  const places = new Map(tasks.map((task, index) => [task.id, index]))
  const placeOf = (field: string, id: string): number => {
    const place = places.get(id)
    if (place === undefined) throw invalidField(field, `the journey has no task ${id}`)
    return place
  }
  const parents = tasks.map(({ parentTaskId }, index) =>
    parentTaskId === '' ? [] : [placeOf(`tasks[${index}].parentTaskId`, parentTaskId)],
  )
  const dependencies = tasks.map(({ dependsOnIds }, index) =>
    dependsOnIds.map((id, at) => placeOf(`tasks[${index}].dependsOnIds[${at}]`, id)),
  )
  requireNoCircle(parents, (index) => `tasks[${index}].parentTaskId`)
  requireNoCircle(dependencies, (index) => `tasks[${index}].dependsOnIds`)
}

/** Refuses links that form a cycle, naming the link that closes it. */
function requireNoCircle(links: readonly (readonly number[])[], at: (index: number) => string): void {
  const state: ('new' | 'open' | 'done')[] = links.map(() => 'new')
  for (const start of links.keys()) {
    const path = state[start] === 'new' ? [{ task: start, next: 0 }] : []
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      state[step.task] = 'open'
      const target = links[step.task]?.[step.next++]
      if (target === undefined) {
        state[step.task] = 'done'
        path.pop()
      } else if (state[target] === 'open') {
        throw invalidField(at(step.task), 'must not lead back to the task itself')
      } else if (state[target] === 'new') {
        path.push({ task: target, next: 0 })
      }
    }
  }
}
