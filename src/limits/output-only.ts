import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf'

const WRITING = /^(?:Batch)?(Create|Update|Set|Add)[A-Z]/

/**
 * Whether a request may contain a name that its message does not have, because it is an output-only field of the object
 * that the method creates or updates: people send back what they have read (AIP-203).
 */
export function outputOnlyNames(method: DescMethod): (message: DescMessage, name: string) => boolean {
  const names = new Map(
    writtenMessages(method).map((message) => {
      return [message, new Set(outputOnlyFields(message).flatMap(({ name, jsonName }) => [name, jsonName]))]
    }),
  )
  return (message, name) => names.get(message)?.has(name) === true
}

/**
 * The output-only fields of the object that a message of a request creates or updates: those that no method writes, and
 * the id of a new object. Empty for other messages.
 */
export function outputOnlyFields(message: DescMessage): readonly DescField[] {
  const writers = message.file.services.flatMap(({ methods }) => methods.filter(({ name }) => WRITING.test(name)))
  const method = writers.find((writer) => writtenMessages(writer).includes(message))
  const resource = method && resourceOf(method)
  const fields = resource?.fields ?? []
  const isNew = method?.name.includes('Create') === true
  const ofResource = writers.filter((writer) => resourceOf(writer) === resource)
  const written = new Set(
    ofResource.flatMap((writer) => writtenMessages(writer).flatMap((each) => each.fields.map(({ name }) => name))),
  )
  return fields.filter(({ name }) => {
    const isOwn = message.fields.some((field) => field.name === name)
    return !isOwn && (!written.has(name) || (isNew && name === 'id'))
  })
}

/** The message that a method writes: its answer or, for a batch, the one that its service is named after. */
function resourceOf({ name, parent, output }: DescMethod): DescMessage | undefined {
  if (!name.startsWith('Batch')) return output.field['data']?.message
  return parent.file.messages.find((message) => `${message.name}Service` === parent.name)
}

/** The messages with values of an object: the request, or for a batch the items of its list. */
function writtenMessages({ name, input }: DescMethod): DescMessage[] {
  if (!WRITING.test(name)) return []
  return name.startsWith('Batch') ? input.fields.flatMap(({ message }) => message ?? []) : [input]
}
