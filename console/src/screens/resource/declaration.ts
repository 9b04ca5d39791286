import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import type { ComponentType } from 'react'
import { FieldBehavior, field_behavior } from '../../../../gen/google/api/field_behavior_pb.js'
import type { Method, StandardMethods } from '../../api/standard-methods.js'
import type { Options } from '../../api/words.js'
import type { WriteSubject } from '../../ui/write-dialog.js'

/** A value in a sentence: a control in a form, and words where it is only read. */
export interface SlotProps {
  readonly label: string
  readonly value: string
  readonly fault?: string | undefined
  readonly onChange: (value: string) => void
}

/** What a sentence needs of the thing that it says, or of the form that it is in. */
export interface SentenceProps {
  /** The text of a field, as it is edited. */
  readonly text: (name: string) => string
  /** The slot of a field. */
  readonly slot: (label: string, name: string) => SlotProps
  readonly set: (texts: Readonly<Record<string, string>>) => void
}

/** Fields that are read and edited as one sentence. */
export interface Sentence {
  readonly title: string
  readonly fields: readonly string[]
  /** Those that it has where it is read, if these are others. */
  readonly said?: readonly string[]
  readonly Sentence: ComponentType<SentenceProps>
}

/** What a part of the screen of a thing needs. */
export interface PartProps {
  readonly id: string
  readonly item: Message
  readonly subject: WriteSubject<Message>
}

/** What differs between the screens of resources. Everything else follows from the schema. */
export interface ResourceDeclaration extends StandardMethods {
  /** The first part of the address, such as `teams`. */
  readonly path: string
  readonly title: string
  /** One of them, in a sentence. */
  readonly one: string
  /** Fields of the list, after the name or the id; the names are those of the message. */
  readonly columns: readonly string[]
  /** The field of what they are of, by which the list is narrowed where it is by no team. */
  readonly owner?: string
  readonly sentence?: Sentence
  /** What is said below fields of its form. */
  readonly hints?: Readonly<Record<string, string>>
  /** Fields that have no meaning, by the texts of others. */
  readonly hides?: (text: (name: string) => string) => readonly string[]
  /** What alone can be chosen of fields, by the texts of others. */
  readonly options?: (text: (name: string) => string) => Readonly<Record<string, Options>>
  /** What its form lacks that the limits of the schema do not say. */
  readonly lacks?: (text: (name: string) => string) => string | undefined
  /** The list, at a path, of what belongs to one, which a filter narrows it by. */
  readonly related?: { readonly path: string; readonly by: string }
  /** What else is shown of one. */
  readonly Parts?: ComponentType<PartProps>
  /** What else can be done with one. */
  readonly Actions?: ComponentType<PartProps>
  /** How the first one comes to be. */
  readonly empty: string
}

/** The message in which a request says what it makes of one thing: itself, or an entry of its list if it is a batch. */
export function entryOf({ input }: Method): { readonly schema: DescMessage; readonly list: DescField | undefined } {
  const [list, ...others] = input.fields
  const isBatch = list?.fieldKind === 'list' && others.length === 0
  return isBatch && list.message ? { schema: list.message, list } : { schema: input, list: undefined }
}

/** The fields that a request sets, apart from what it is about; names come first. */
export function editableFields(method: Method): readonly DescField[] {
  const isName = ({ localName }: DescField) => Number(/^(?:(?:customS|s)erviceN|n)ame$/.test(localName))
  return entryOf(method)
    .schema.fields.filter(
      (field) =>
        !['id', 'clearFields'].includes(field.localName) &&
        !getOption(field, field_behavior).includes(FieldBehavior.IMMUTABLE),
    )
    .toSorted((one, other) => isName(other) - isName(one))
}
