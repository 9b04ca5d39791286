import {
  type HealthCheck,
  type Journey,
  type JourneyTask,
  JourneyTaskStatus,
  JourneyTaskStatusSchema,
  type WorkflowFailure,
  WorkflowRunStatusSchema,
} from '../../../../gen/svc/v2/journey_pb.js'
import { enumText } from '../../api/words.js'
import { dayStart, lateText } from '../../ui/when.js'

/** A task with what belongs to it. */
export interface TaskFacts {
  readonly task: JourneyTask
  readonly status: string
  /** Those that it waits for: what it depends on and is not finished. */
  readonly waitsFor: readonly JourneyTask[]
  readonly checks: readonly HealthCheck[]
  readonly failures: readonly WorkflowFailure[]
}

/** Whether nothing is left to do. */
export function isFinished({ status }: JourneyTask): boolean {
  return status === JourneyTaskStatus.DONE || status === JourneyTaskStatus.CANCELED
}

/** The tasks of a journey in its order, each with what it waits for, its checks and its failures. */
export function taskFacts(journey: Journey): TaskFacts[] {
  const byId = new Map(journey.tasks.map((task) => [task.id, task]))
  return journey.tasks.map((task) => ({
    task,
    status: enumText(JourneyTaskStatusSchema, task.status),
    waitsFor: isFinished(task)
      ? []
      : task.dependsOnIds.flatMap((id) => byId.get(id) ?? []).filter((other) => !isFinished(other)),
    checks: journey.healthChecks.filter(({ taskId, subtaskId }) => (subtaskId || taskId) === task.id),
    failures: journey.workflowFailures.filter(({ taskId, subtaskId }) => (subtaskId || taskId) === task.id),
  }))
}

/** What a journey waits for now: the tasks that could be done, since nothing stands before them. */
export function nextTasks(facts: readonly TaskFacts[]): TaskFacts[] {
  return facts.filter(({ task, waitsFor }) => !isFinished(task) && waitsFor.length === 0)
}

/** Something that happened to a journey, or is to happen. */
export interface JourneyMoment {
  /** A moment, or a day of the calendar such as `2026-12-31`. */
  readonly at: string
  readonly text: string
  readonly isBad: boolean
}

/** What has happened, and what is due, in order. */
export function journeyMoments(journey: Journey): JourneyMoment[] {
  const moments: (JourneyMoment | undefined)[] = [
    moment(journey.createdAt, 'The journey begins'),
    moment(journey.archivedAt, 'The journey is archived'),
    dayMoment(journey.dueDate, 'The journey is due'),
    ...journey.tasks.flatMap((task) => [
      dayMoment(
        task.dueDate,
        `Due: ${task.name}${task.isOverdue ? `, ${lateText(task.dueDate)} late` : ''}`,
        task.isOverdue,
      ),
      moment(task.latestWorkflowCall?.createdAt, `${task.latestWorkflowCall?.workflowName} is called for ${task.name}`),
      moment(
        task.latestWorkflowCall?.statusUpdatedAt,
        `${task.latestWorkflowCall?.workflowName}: ${enumText(WorkflowRunStatusSchema, task.latestWorkflowCall?.runStatus ?? 0)}`,
      ),
    ]),
    ...journey.workflowFailures.map((failure) =>
      moment(
        failure.runCompletedAt,
        `${failure.workflowName} ends: ${enumText(WorkflowRunStatusSchema, failure.runStatus)}`,
        true,
      ),
    ),
  ]
  const beginning = ({ at }: JourneyMoment) => Date.parse(dayStart(at) ?? at)
  return moments.flatMap((each) => each ?? []).sort((one, other) => beginning(one) - beginning(other))
}

function moment(at: string | undefined, text: string, isBad = false): JourneyMoment | undefined {
  return at ? { at, text, isBad } : undefined
}

/** A day of the calendar is the same everywhere; it begins by the clock of the reader. */
function dayMoment(date: Journey['dueDate'], text: string, isBad = false): JourneyMoment | undefined {
  if (date === undefined) return undefined
  const at = new Date(Date.UTC(date.year, date.month - 1, date.day)).toISOString().slice(0, 10)
  return { at, text, isBad }
}
