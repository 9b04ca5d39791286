import type { JourneyTask } from '../../../gen/svc/v2/journey_pb.js'
import { invalidField } from '../../errors.js'

/** Refuses parents and dependencies outside of the journey, and cycles. */
export function requireTaskOrder(tasks: readonly JourneyTask[]): void {
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
