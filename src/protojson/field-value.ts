import type { DescField, Message } from '@bufbuild/protobuf'

/** The value of a field as protobuf-es keeps it: undefined if it is not set and has presence, or is another member's oneof. */
export function fieldValue(message: Message, { oneof, localName }: DescField): unknown {
  const slots = slotsOf(message)
  if (oneof === undefined) return slots[localName]
  const member = slots[oneof.localName] as { readonly case?: string; readonly value?: unknown }
  return member.case === localName ? member.value : undefined
}

/** Sets a field to a value in the form in which protobuf-es keeps it. */
export function setFieldValue(message: Message, { oneof, localName }: DescField, value: unknown): void {
  const slots = slotsOf(message)
  if (oneof === undefined) slots[localName] = value
  else slots[oneof.localName] = { case: localName, value }
}

/** The name of the member that is set of the oneof of a field; undefined if none is, or the field is in no oneof. */
export function setMember(message: Message, { oneof }: DescField): string | undefined {
  if (oneof === undefined) return undefined
  return (slotsOf(message)[oneof.localName] as { readonly case?: string }).case
}

/** A message seen as a record of its local names, which only descriptors know here. */
function slotsOf(message: Message): Record<string, unknown> {
  return message as unknown as Record<string, unknown>
}
