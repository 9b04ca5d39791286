import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { type CustomField, DataType, type Journey, type JourneyTask } from '../../../gen/svc/v2/journey_pb.js'
import { textFault } from '../../domain/value/free-text.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { invalidField } from '../../errors.js'

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

/** Checks and runs may name something other than a task. A UUID is put into the same case as the task's. */
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

/** A `google.protobuf.Value` has no rules in the schema. */
const MAX_TEXT = 10_000

/** Refuses a value that is not of its data type, and normalizes times. `null` means no value. */
function settleCustomField(field: string, customField: CustomField): void {
  const { dataType, value } = customField
  if (value === undefined || value.kind.case === 'nullValue') return
  const json = toJson(ValueSchema, value)
  const type = dataType === DataType.UNSPECIFIED ? typeOf(json) : dataType
  if (type === DataType.NUMBER) {
    if (typeof json !== 'number') throw invalidField(field, 'must be a number')
  } else if (type === DataType.BOOL) {
    if (typeof json !== 'boolean') throw invalidField(field, 'must be true or false')
  } else if (type === DataType.MULTI_SELECT) {
    requireTexts(field, json)
  } else {
    const text = textOf(field, json)
    if (type === DataType.TIMESTAMP) customField.value = fromJson(ValueSchema, timestampOf(field, text) ?? '')
  }
}

function typeOf(json: JsonValue): DataType {
  if (typeof json === 'number') return DataType.NUMBER
  if (typeof json === 'boolean') return DataType.BOOL
  return Array.isArray(json) ? DataType.MULTI_SELECT : DataType.TEXT
}

function textOf(field: string, json: JsonValue): string {
  if (typeof json !== 'string') throw invalidField(field, 'must be a string')
  const fault = textFault(json, MAX_TEXT, true)
  if (fault !== undefined) throw invalidField(field, fault)
  return json
}

function requireTexts(field: string, json: JsonValue): void {
  if (!Array.isArray(json) || !json.every((item) => typeof item === 'string')) {
    throw invalidField(field, 'must be a list of strings')
  }
  for (const [index, item] of json.entries()) textOf(`${field}[${index}]`, item)
}
