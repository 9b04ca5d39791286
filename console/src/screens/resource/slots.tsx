import { type Kind, ThingLink, useThingName } from '../../api/things.js'
import { durationText, spokenId } from '../../api/words.js'
import { DurationField, type Labelled, SelectField, TextField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import type { SlotProps } from './declaration.js'

interface ChoiceProps extends SlotProps {
  readonly words: Readonly<Record<string, string>>
  /** It matters in the sentence. */
  readonly isStrong?: boolean
}

/** One of a few values, in words; one without words as it is. */
export function Choice({ words, isStrong = false, onChange, ...field }: ChoiceProps) {
  const text = words[field.value] ?? (field.value || 'Choose')
  if (onChange === undefined) return isStrong ? <strong>{text}</strong> : text
  const options = Object.entries(words).map(([value, word]) => ({ value, text: word }))
  const own = field.value in words ? [] : [{ value: field.value, text }]
  return <SelectField options={[...own, ...options]} onChange={onChange} {...field} />
}

interface TextProps extends SlotProps {
  readonly known?: ReadonlyMap<string, string>
  readonly placeholder?: string
  readonly type?: 'number'
}

/** A text, or the words that are known for it. */
export function Text({ onChange, ...field }: TextProps) {
  const { value, known, label } = field
  if (onChange === undefined) return <strong title={value}>{known?.get(value) ?? (spokenId(value) || '–')}</strong>
  return <TextField placeholder={label} {...field} onChange={onChange} />
}

type ThingProps = SlotProps & { readonly kind: Kind; readonly isLink?: boolean }

/** A thing by its name. */
export function Thing({ kind, onChange, isLink, ...field }: ThingProps) {
  const name = useThingName(kind, onChange ? '' : field.value)
  if (onChange !== undefined) {
    return <Picker kind={kind} placeholder={isLink ? field.label : undefined} {...field} onChange={onChange} />
  }
  return isLink ? <ThingLink kind={kind} id={field.value} /> : <strong>{name ?? '…'}</strong>
}

/** A length of time, in seconds. */
export function Span({ value, onChange, ...field }: SlotProps & Labelled) {
  const seconds = Number(value)
  if (onChange === undefined) return <strong>{durationText(seconds)}</strong>
  return <DurationField {...field} seconds={seconds} onChange={(next) => onChange(String(next))} />
}
