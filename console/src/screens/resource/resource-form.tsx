import { type DescField, fromJson, isMessage, type JsonValue, type Message } from '@bufbuild/protobuf'
import { type ReactNode, useState } from 'react'
import { ApiKeySchema } from '../../../../gen/svc/v2/api_key_pb.js'
import { FormMethod, useOwnTeams } from '../../api/caller-context.js'
import { idOf, memberOf, nameOf } from '../../api/message.js'
import { itemOf } from '../../api/standard-methods.js'
import { kindOf, ThingName } from '../../api/things.js'
import { labelOf, type Options, oneOf } from '../../api/words.js'
import { Dialog } from '../../ui/dialog.js'
import { draftAt, draftOf, draftText, jsonOf, nestedOf } from '../../ui/field-draft.js'
import styles from '../../ui/screen.module.css'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { editableFields, entryOf, type ResourceDeclaration, type Sentence, type SentenceProps } from './declaration.js'
import { FieldControl } from './field-control.js'
import { type FieldFault, FormFoot, useFormFaults } from './field-faults.js'
import { Messages } from './field-value.js'

interface ResourceFormProps {
  readonly declaration: Pick<
    ResourceDeclaration,
    'one' | 'create' | 'update' | 'sentence' | 'hints' | 'hides' | 'lacks' | 'options'
  >
  /** The fields that the form has, in their order. Default: all that the request can set. */
  readonly only?: readonly string[]
  /** What is done with what is not there yet. */
  readonly verb?: string
  readonly note?: ReactNode
  /** What is said once it is done. */
  readonly said?: (answer: Message) => string
  /** What is changed; absent to create one. */
  readonly subject?: WriteSubject<Message> | undefined
  /** What the first values are, by field. */
  readonly given?: Readonly<Record<string, string>>
  readonly onClose: () => void
  readonly onDone: (answer: Message) => void
}

type Draft = Readonly<Record<string, string>>

/** Creates or changes a thing: a form with the fields of the request, then what the request changes. */
export function ResourceForm(props: ResourceFormProps) {
  const { declaration, subject, only, verb = 'Create', note, said, onClose, onDone } = props
  const method = subject === undefined ? declaration.create : declaration.update
  const item = subject && itemIn(subject.tagged.message)
  const ownTeams = useOwnTeams(method)
  // Of their teams, the one that is given, or the only one.
  const own = ownTeams?.filter((team) => ownTeams.length === 1 || team.teamId === props.given?.['teamId'])
  const first = { ...props.given, ...(own && { teamId: own[0]?.teamId ?? '' }) }
  const given: Draft = subject === undefined ? first : {}
  const all = editableFields(method)
  const [draft, setDraft] = useState<Draft>(given)
  const [made, setMade] = useState<Message>()
  const textAt = (name: string) => draft[name] ?? draftAt(itemOf(method), name, item)
  const hidden = declaration.hides?.(textAt) ?? []
  const chosen = only?.flatMap((name) => all.filter(({ localName }) => localName === name)) ?? all
  const fields = chosen.filter(({ localName }) => !hidden.includes(localName))
  const textOf = (field: DescField) => draft[field.localName] ?? draftOf(field, item)
  const isEdited = (field: DescField) => textOf(field) !== draftOf(field, item)
  const edited = fields.filter(isEdited)
  const unread = edited.flatMap((field) => faultIn(field, textOf(field)))
  const request = unread.length === 0 ? requestFrom(method, item && idOf(item), edited, textOf) : undefined
  const { list } = entryOf(method)
  const hasField = (name: string) => fields.some(({ localName }) => localName === name)
  const form = useFormFaults(method.input, request, {
    shown: fields.map(({ localName }) => localName),
    within: list ? [list.localName, 0] : [],
    unread,
    isTouched: (name) => draft[name] !== given[name],
  })
  const title = subject === undefined ? `${verb} ${oneOf(declaration.one)}` : `Change ${item ? nameOf(item) : ''}`
  const { sentence } = declaration
  const saidOf = ({ localName }: DescField) =>
    (sentence?.said ?? sentence?.fields)?.includes(localName) ? sentence : undefined
  if (made !== undefined) {
    const item = itemIn(made)
    // A key signs in with its id.
    const key = item && isMessage(item, ApiKeySchema) ? { clientId: item.id, kind: item.kind } : {}
    return <SecretDialog secret={secretOf(made) ?? ''} of={declaration.one} {...key} onClose={() => onDone(made)} />
  }
  if (form.isReviewing && request !== undefined) {
    return (
      <WriteDialog
        title={title}
        method={method}
        input={request}
        subject={subject}
        {...form.reviewed}
        changes={(answer) => {
          const textBefore = (name: string) => draftAt(itemOf(method), name, answer && itemIn(answer))
          return [...new Set(edited.map((field) => saidOf(field) ?? field))].map((part) => ({
            label: 'title' in part ? part.title : labelOf(part.localName),
            from: answer && shown(part, textBefore),
            to: shown(part, textAt),
          }))
        }}
        confirm={subject === undefined ? verb : 'Save'}
        {...(said && { said })}
        onDone={(answer) => (secretOf(answer) === undefined ? onDone(answer) : setMade(answer))}
      >
        {note}
      </WriteDialog>
    )
  }
  const isTyped = fields.some((field) => textOf(field) !== (given[field.localName] ?? draftOf(field, item)))
  const lacksTeam = ownTeams && hasField('teamId') && textAt('teamId') === '' ? 'Choose a team.' : undefined
  const lack = lacksTeam ?? form.why ?? declaration.lacks?.(textAt)
  const why = edited.length === 0 ? 'Nothing is changed yet.' : lack
  const options = {
    teamId: ownTeams?.map(({ teamId, name }) => ({ value: teamId, text: name })),
    ...declaration.options?.(textAt),
  } as Readonly<Record<string, Options | undefined>>
  const inSentence = fields.filter(({ localName }) => sentence?.fields.includes(localName))
  const set = (texts: Draft) => setDraft({ ...draft, ...texts })
  return (
    <FormMethod value={method}>
      <Dialog title={title} look="wide" isTyped={isTyped} onClose={onClose}>
        {note}
        <div className={styles['form']}>
          {fields.map((field) =>
            inSentence.includes(field) ? (
              sentence &&
              field === inSentence[0] && (
                <fieldset key={sentence.title} className={styles['nested']}>
                  <legend>{sentence.title}</legend>
                  <div className={styles['sentence']}>
                    <sentence.Sentence
                      text={textAt}
                      slot={(label, name) => ({
                        label,
                        value: textAt(name),
                        fault: form.at(name)[0]?.text,
                        onChange: (text) => set({ [name]: text }),
                      })}
                      set={set}
                    />
                  </div>
                </fieldset>
              )
            ) : (
              <FieldControl
                key={field.localName}
                field={field}
                text={textOf(field)}
                faults={form.at(field.localName)}
                hint={declaration.hints?.[field.localName]}
                options={options[field.localName]}
                onChange={(text, others) => set({ ...others, [field.localName]: text })}
              />
            ),
          )}
        </div>
        <FormFoot form={form} isTyped={isTyped} onClose={onClose} why={why} />
      </Dialog>
    </FormMethod>
  )
}

const nothing = (): void => {}

/** A sentence with the values that are read, or that were typed. */
export function Said({ Sentence, text }: Pick<Sentence, 'Sentence'> & Pick<SentenceProps, 'text'>) {
  return (
    <Sentence text={text} set={nothing} slot={(label, name) => ({ label, value: text(name), onChange: nothing })} />
  )
}

/** The secret that an answer shows once, if it does. */
function secretOf(answer: Message): string | undefined {
  const secret = memberOf(answer, 'secret')
  return typeof secret === 'string' ? secret : undefined
}

/** An edited text for a reader, or the sentence that it is in. */
function shown(field: DescField | Sentence, textAt: SentenceProps['text']): ReactNode {
  if ('title' in field) return <Said {...field} text={textAt} />
  const draft = textAt(field.localName)
  const kind = kindOf(field.localName)
  if (kind !== undefined) return draft && <ThingName kind={kind} id={draft} />
  const { message } = field
  if (message === undefined) return draftText(field, draft)
  return draft && <Messages schema={message} messages={nestedOf(draft).map((each) => fromJson(message, each))} />
}

/** The object that an answer holds. */
export function itemIn(answer: Message): Message | undefined {
  return memberOf(answer, 'data') as Message | undefined
}

function faultIn(field: DescField, text: string): FieldFault[] {
  try {
    jsonOf(field, text)
    return []
  } catch (error) {
    return [{ path: [field.localName], text: error instanceof Error ? error.message : String(error) }]
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
