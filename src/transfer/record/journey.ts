import type { Journey } from '../../../gen/svc/v2/journey_pb.js'
import { settleCustomField } from './custom-field.js'
import { requireTaskOrder } from './journey-task.js'

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
