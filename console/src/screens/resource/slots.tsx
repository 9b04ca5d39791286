import { use } from 'react'
import { FormMethod } from '../../api/caller-context.js'
import { type Kind, ThingLink, useThingName } from '../../api/things.js'
import { durationText, spokenId } from '../../api/words.js'
import { DurationField, type Labelled, SelectField, TextField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import type { SlotProps } from './declaration.js'

/** Whether a sentence is edited, rather than read. */
export const useIsForm = (): boolean => use(FormMethod) !== undefined

interface ChoiceProps extends SlotProps {
  readonly words: Readonly<Record<string, string>>
  /** It matters in the sentence. */
  readonly isStrong?: boolean
}

/** One of a few values, in words; one without words as it is. */
export function Choice({ words, isStrong = false, ...field }: ChoiceProps) {
  const text = words[field.value] ?? (field.value || 'Choose')
  if (!useIsForm()) return isStrong ? <strong>{text}</strong> : text
  const options = Object.entries(words).map(([value, word]) => ({ value, text: word }))
  const own = field.value in words ? [] : [{ value: field.value, text }]
  return <SelectField options={[...own, ...options]} {...field} />
}

interface ValueProps extends SlotProps {
  readonly kind?: Kind
  readonly known?: ReadonlyMap<string, string> | undefined
  readonly isMany?: boolean
  readonly isLink?: boolean
  readonly placeholder?: string
  readonly type?: 'text' | 'number'
}

/** A thing of a kind by its name, a value by what it is called, or a text. */
export function Value({ isLink = false, type = 'text', ...field }: ValueProps) {
  const { kind, known, value, label } = field
  const isForm = useIsForm()
  const name = useThingName(kind ?? 'teams', isForm || !kind ? '' : value)
  if (isForm && (kind || known)) return <Picker placeholder={kind && !isLink ? undefined : label} {...field} />
  if (isForm) return <TextField placeholder={label} {...field} type={type} />
  if (kind && isLink) return <ThingLink kind={kind} id={value} />
  return <strong title={value}>{kind ? (name ?? '…') : (known?.get(value) ?? (spokenId(value) || '–'))}</strong>
}

/** A length of time, in seconds. */
export function Span({ value, onChange, ...field }: SlotProps & Labelled) {
  const seconds = Number(value)
  if (!useIsForm()) return <strong>{durationText(seconds)}</strong>
  return <DurationField {...field} seconds={seconds} onChange={(next) => onChange(String(next))} />
}
