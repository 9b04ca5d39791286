import { type DescField, type DescMessage, fromJson, getOption, type JsonObject } from '@bufbuild/protobuf'
import { FieldBehavior, field_behavior } from '../../../../gen/google/api/field_behavior_pb.js'
import { labelOf, oneOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import styles from '../../ui/screen.module.css'
import { replacedAt } from '../procedure/list-edits.js'
import { OrderButtons } from '../procedure/order-buttons.js'
import { FieldControl } from './field-control.js'
import { jsonOfDraft, nestedDraft, nestedOf } from './field-draft.js'
import { type FieldFault, faultsAt } from './field-faults.js'
import { MessageList } from './field-value.js'

interface MessageFieldsProps {
  readonly field: DescField
  readonly schema: DescMessage
  /** The message, or the list of messages, as JSON; empty for none. */
  readonly text: string
  readonly faults: readonly FieldFault[]
  readonly onChange: (text: string) => void
}

/** A form for each message of a field, in their order. */
export function MessageFields({ field, schema, text, faults, onChange }: MessageFieldsProps) {
  const isList = field.fieldKind === 'list'
  const items = nestedOf(text)
  const label = labelOf(field.localName)
  const own = faults.find(({ path }) => path.length === 0)
  const one = isList ? singularOf(inSentence(label)) : inSentence(label)
  const change = (next: readonly JsonObject[]) =>
    onChange(next.length === 0 ? '' : JSON.stringify(isList ? next : next[0]))
  const keyed = items.map((item, index) => ({ item, index, key: `${index}` }))
  return (
    <fieldset className={styles['nested']}>
      <legend>{label}</legend>
      {keyed.map(({ item, index, key }) => (
        <fieldset key={key} className={styles['nested']}>
          {isList && <legend>{`${label} ${index + 1}`}</legend>}
          <OrderButtons
            what={isList ? `${one} ${index + 1}` : one}
            list={items}
            at={index}
            onChange={change}
            canBeEmpty
          />
          <div className={styles['form']}>
            {schema.fields.filter(isGiven).map((each) => (
              <FieldControl
                key={each.localName}
                field={each}
                text={nestedDraft(each, item)}
                faults={faultsAt(isList ? faultsAt(faults, index) : faults, each.localName)}
                onChange={(draft) =>
                  change(replacedAt(items, index, { ...item, [each.jsonName]: jsonOfDraft(each, draft) }))
                }
              />
            ))}
          </div>
        </fieldset>
      ))}
      {own !== undefined && (
        <p role="alert" className={controls['fault']}>
          {own.text}
        </p>
      )}
      {(isList || items.length === 0) && (
        <div>
          <Button onClick={() => change([...items, {}])}>Add {oneOf(one)}</Button>
        </div>
      )}
    </fieldset>
  )
}

/** The messages that an edited text means, for a reader. */
export function MessagesText({ schema, text }: { readonly schema: DescMessage; readonly text: string }) {
  const messages = nestedOf(text).map((each) => fromJson(schema, each))
  return messages.length === 0 ? null : <MessageList schema={schema} messages={messages} />
}

/** Whether a person gives the field, rather than the service. */
function isGiven(field: DescField): boolean {
  return !getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
}

function inSentence(label: string): string {
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
}

function singularOf(word: string): string {
  return word.replace(/ria$/, 'rion').replace(/s$/, '')
}
