import { descriptionLimits, nameLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { type CalendarDate, timestampOf } from '../../domain/value/timestamp.js'
import { invalidField } from '../../errors.js'
import type { LatestWorkflowCall } from '../../store/journey-document.js'
import { dateOf, enumOf, integerOf, optionalIdOf, requireDistinct, textOf, uuidOf } from '../field-values.js'

/** A task of a journey in the JSON of the API, without what is computed. */
export interface JourneyTaskJson {
  readonly id: string
  readonly parentTaskId: string
  readonly name: string
  readonly description: string
  readonly assignedToUserId: string
  readonly status: string
  readonly dependsOnIds: readonly string[]
  readonly dueDate?: CalendarDate
  readonly isStatusCheck: boolean
  readonly pollingIntervalMs: number
  readonly latestWorkflowCall?: LatestWorkflowCall
}

/** The tasks as rows. Throws a ServiceError where one is bad, or where parents or dependencies leave the journey or go in a circle. */
export function taskRowsOf(tasks: readonly JourneyTaskJson[]) {
  const rows = tasks.map((task, index) => taskRowOf(`tasks[${index}]`, task))
  requireDistinct(
    rows.map((row) => row.id),
    (index) => `tasks[${index}].id`,
  )
  const places = new Map(rows.map((row, index) => [row.id, index]))
  for (const [index, row] of rows.entries()) {
    if (row.parentTaskId !== null) requireTask(`tasks[${index}].parentTaskId`, row.parentTaskId, places)
    for (const [at, id] of row.dependsOnIds.entries()) requireTask(`tasks[${index}].dependsOnIds[${at}]`, id, places)
  }
  const placesOf = (ids: readonly string[]) => ids.flatMap((id) => places.get(id) ?? [])
  requireNoCircle(
    rows.map((row) => placesOf(row.parentTaskId === null ? [] : [row.parentTaskId])),
    (index) => `tasks[${index}].parentTaskId`,
  )
  requireNoCircle(
    rows.map((row) => placesOf(row.dependsOnIds)),
    (index) => `tasks[${index}].dependsOnIds`,
  )
  return rows
}

function taskRowOf(field: string, task: JourneyTaskJson) {
  const call = task.latestWorkflowCall
  return {
    id: uuidOf(`${field}.id`, task.id),
    parentTaskId: task.parentTaskId === '' ? null : uuidOf(`${field}.parentTaskId`, task.parentTaskId),
    name: textOf(`${field}.name`, task.name, nameLimits),
    description: textOf(`${field}.description`, task.description, descriptionLimits),
    assignedToUserId: optionalIdOf(`${field}.assignedToUserId`, task.assignedToUserId),
    status: enumOf(task.status, 'JOURNEY_TASK_STATUS_'),
    dependsOnIds: task.dependsOnIds.map((id, index) => uuidOf(`${field}.dependsOnIds[${index}]`, id)),
    dueDate: dateOf(`${field}.dueDate`, task.dueDate),
    isStatusCheck: task.isStatusCheck,
    pollingIntervalMs: integerOf(`${field}.pollingIntervalMs`, task.pollingIntervalMs, 0),
    latestWorkflowCall: call === undefined ? null : workflowCallOf(`${field}.latestWorkflowCall`, call),
  }
}

function workflowCallOf(field: string, call: LatestWorkflowCall): LatestWorkflowCall {
  for (const name of ['id', 'workflowId', 'workflowName', 'runId'] as const) {
    textOf(`${field}.${name}`, call[name], optionalNameLimits)
  }
  const { statusUpdatedAt: given, ...rest } = call
  const createdAt = timestampOf(`${field}.createdAt`, call.createdAt) ?? ''
  const statusUpdatedAt = timestampOf(`${field}.statusUpdatedAt`, given)
  return { ...rest, createdAt, ...(statusUpdatedAt === null ? {} : { statusUpdatedAt }) }
}

function requireTask(field: string, id: string, places: ReadonlyMap<string, number>): void {
  if (!places.has(id)) throw invalidField(field, `there is no task ${id} in the journey`)
}

/** Refuses links that lead back to where they began, naming the link that closes the circle. */
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
