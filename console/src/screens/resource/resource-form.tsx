import { type DescField, fromJson, type JsonValue, type Message } from '@bufbuild/protobuf'
import { type ReactNode, useState } from 'react'
import { labelOf, oneOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import styles from '../../ui/screen.module.css'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { editableFields, entryOf, idOf, memberOf, type ResourceDeclaration } from './declaration.js'
import { FieldControl } from './field-control.js'
import { draftOf, draftText, jsonOf } from './field-draft.js'
import { MessagesText } from './message-fields.js'

interface ResourceFormProps {
  readonly declaration: ResourceDeclaration
  /** What is changed; absent to create one. */
  readonly subject?: WriteSubject<Message> | undefined
  /** What the first values are, by field. */
  readonly given?: Readonly<Record<string, string>>
  readonly onClose: () => void
  readonly onDone: (answer: Message) => void
}

type Draft = Readonly<Record<string, string>>

/** Creates or changes a thing: a form with the fields of the request, then what the request changes. */
export function ResourceForm({ declaration, subject, given = {}, onClose, onDone }: ResourceFormProps) {
  const method = subject === undefined ? declaration.create : declaration.update
  const item = subject && itemIn(subject.tagged.message)
  const fields = editableFields(method)
  const [draft, setDraft] = useState<Draft>(given)
  const [isReviewing, setReviewing] = useState(false)
  const textOf = (field: DescField) => draft[field.localName] ?? draftOf(field, item)
  const isEdited = (field: DescField) => textOf(field) !== draftOf(field, item)
  const edited = fields.filter(isEdited)
  const faults = new Map(edited.flatMap((field) => faultIn(field, textOf(field))))
  const title = subject === undefined ? `Create ${oneOf(declaration.one)}` : `Change this ${declaration.one}`
  if (isReviewing) {
    return (
      <WriteDialog
        title={title}
        method={method}
        input={requestFrom(method, item && idOf(item), edited, textOf)}
        subject={subject}
        changes={(answer) =>
          edited.map((field) => ({
            label: labelOf(field.localName),
            from: answer && shown(field, draftOf(field, itemIn(answer))),
            to: shown(field, textOf(field)),
          }))
        }
        confirm={subject === undefined ? 'Create' : 'Save'}
        onClose={() => setReviewing(false)}
        onDone={onDone}
      />
    )
  }
  const isTyped = fields.some((field) => textOf(field) !== (given[field.localName] ?? draftOf(field, item)))
  const why = faults.size > 0 ? 'A value cannot be read.' : edited.length === 0 ? 'Nothing is changed yet.' : undefined
  return (
    <Dialog title={title} look="wide" onClose={isTyped ? undefined : onClose}>
      <div className={styles['form']}>
        {fields.map((field) => (
          <FieldControl
            key={field.localName}
            field={field}
            text={textOf(field)}
            fault={faults.get(field.localName)}
            onChange={(text) => setDraft({ ...draft, [field.localName]: text })}
          />
        ))}
      </div>
      <DialogFoot>
        <Button onClick={onClose}>{isTyped ? 'Throw changes away' : 'Cancel'}</Button>
        <Button look="main" onClick={() => setReviewing(true)} why={why}>
          Review
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** An edited text for a reader. */
function shown(field: DescField, draft: string): ReactNode {
  return field.message ? draft && <MessagesText schema={field.message} text={draft} /> : draftText(field, draft)
}

/** The object that an answer holds. */
export function itemIn(answer: Message): Message | undefined {
  return memberOf(answer, 'data') as Message | undefined
}

function faultIn(field: DescField, text: string): [string, string][] {
  try {
    jsonOf(field, text)
    return []
  } catch (error) {
    return [[field.localName, error instanceof Error ? error.message : String(error)]]
  }
}

function requestFrom(
  method: ResourceDeclaration['create'],
  id: string | undefined,
  fields: readonly DescField[],
  textOf: (field: DescField) => string,
): Message {
  const { schema, list } = entryOf(method)
  const json: Record<string, JsonValue> = id === undefined ? {} : { id }
  const cleared: string[] = []
  for (const field of fields) {
    const value = jsonOf(field, textOf(field))
    // An empty list in an update means that it is not given.
    if (Array.isArray(value) && value.length === 0) cleared.push(field.jsonName)
    else json[field.jsonName] = value
  }
  if (cleared.length > 0 && schema.field['clearFields'] !== undefined) json['clearFields'] = cleared
  return fromJson(method.input, list === undefined ? json : { [list.jsonName]: [json] })
}
