import { type DescField, type DescMessage, fromJson, getOption, type JsonObject, toJson } from '@bufbuild/protobuf'
import { FieldBehavior, field_behavior } from '../../../../gen/google/api/field_behavior_pb.js'
import { RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import { SlaConditionSchema } from '../../../../gen/svc/v2/sla_definition_pb.js'
import { labelOf, oneOf, sentence } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { TextField } from '../../ui/field.js'
import { jsonOfDraft, nestedDraft, nestedOf } from '../../ui/field-draft.js'
import styles from '../../ui/screen.module.css'
import { FieldControl } from './field-control.js'
import { Faults, type FieldFault, faultsAt } from './field-faults.js'
import { OrderButtons } from './procedure/order-buttons.js'
import { isSaid, MessageSentence, NEW_RULE } from './sla-sentences.js'

interface MessageFieldsProps {
  readonly field: DescField
  readonly schema: DescMessage
  /** The message, or the list of messages, as JSON; empty for none. */
  readonly text: string
  readonly faults: readonly FieldFault[]
  readonly onChange: (text: string) => void
}

/** Each message of a field as a sentence or a form, in their order; and all of them as JSON, for what those leave out. */
export function MessageFields({ field, schema, text, faults, onChange }: MessageFieldsProps) {
  const isList = field.fieldKind === 'list'
  const items = readItems(schema, text)
  const label = labelOf(field.localName)
  const one = ones[schema.name] ?? label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
  const own = faults.find(({ path }) => path.length === 0)
  const change = (next: readonly JsonObject[]) =>
    onChange(next.length === 0 ? '' : JSON.stringify(isList ? next : next[0]))
  return (
    <fieldset className={styles['nested']}>
      <legend>{label}</legend>
      {items
        ?.map((item, index) => ({ item, index, key: `${index}` }))
        .map(({ item, index, key }) => {
          const inItem = isList ? faultsAt(faults, index) : faults
          const edit = (next: JsonObject) => change(items.with(index, next))
          return (
            <div key={key} className={styles['item']}>
              <fieldset
                className={isSaid(schema) ? styles['sentence'] : styles['form']}
                aria-label={isList ? `${sentence(one)} ${index + 1}` : undefined}
              >
                {isSaid(schema) ? (
                  <>
                    <MessageSentence
                      value={fromJson(schema, item)}
                      isLast={index === items.length - 1}
                      onChange={(next) => edit(Object(toJson(schema, next)))}
                    />
                    <Faults faults={inItem} />
                  </>
                ) : (
                  schema.fields
                    .filter((each) => !getOption(each, field_behavior).includes(FieldBehavior.OUTPUT_ONLY))
                    .map((each) => (
                      <FieldControl
                        key={each.localName}
                        field={each}
                        text={nestedDraft(each, item)}
                        faults={faultsAt(inItem, each.localName)}
                        onChange={(draft) => edit({ ...item, [each.jsonName]: jsonOfDraft(each, draft) })}
                      />
                    ))
                )}
              </fieldset>
              <OrderButtons
                what={isList ? `${one} ${index + 1}` : one}
                list={items}
                at={index}
                onChange={(next) => change(settled(schema, next))}
                canBeEmpty
              />
            </div>
          )
        })}
      <Faults faults={own ? [own] : []} />
      {items !== undefined && (isList || items.length === 0) && (
        <Button onClick={() => change(settled(schema, [...items, newItem(schema)]))}>Add {oneOf(one)}</Button>
      )}
      <details className={styles['advanced']}>
        <summary>Advanced</summary>
        <TextField label={`${label} as JSON`} lines value={text} onChange={onChange} />
      </details>
    </fieldset>
  )
}

/** What one of the messages of a field is called, where the label of the field does not say it. */
const ones: Readonly<Record<string, string>> = {
  Rule: 'comparison',
  SlaCondition: 'clock rule',
  SlaAction: 'workflow',
  Skill: 'skill',
  SecurityScheme: 'security scheme',
}

function newItem(schema: DescMessage): JsonObject {
  if (schema.typeName === RuleSchema.typeName) return NEW_RULE
  if (schema.typeName !== SlaConditionSchema.typeName) return {}
  return { conditionType: 'SLA_CONDITION_TYPE_PAUSE', conditionRule: NEW_RULE }
}

/** Messages in an order that has changed: each rule joins the next one, and the last joins none. */
function settled(schema: DescMessage, items: readonly JsonObject[]): readonly JsonObject[] {
  if (schema.typeName !== RuleSchema.typeName) return items
  return items.map(({ logicOp = 'AND', ...rule }, index) => (index < items.length - 1 ? { ...rule, logicOp } : rule))
}

/** The messages that a text means; undefined if it means none that can be shown, as while it is typed. */
function readItems(schema: DescMessage, text: string): readonly JsonObject[] | undefined {
  try {
    const items = nestedOf(text)
    if (isSaid(schema)) for (const item of items) fromJson(schema, item)
    return items
  } catch {
    return undefined
  }
}
