import type { DescField } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { kindOf, useUsed } from '../../api/things.js'
import { actionText, enumOptions, hints, labelOf, type Options, sentence, thingText } from '../../api/words.js'
import controls from '../../ui/controls.module.css'
import { CheckField, type Labelled, SelectField, TextField } from '../../ui/field.js'
import { controlOf } from '../../ui/field-draft.js'
import { Picker } from '../../ui/picker.js'
import styles from '../../ui/screen.module.css'
import type { FieldFault } from './field-faults.js'
import { MessageFields } from './message-fields.js'
import { Span } from './slots.js'

interface FieldControlProps {
  readonly field: DescField
  readonly text: string
  /** What is wrong with it, or with the parts of what it holds. */
  readonly faults: readonly FieldFault[]
  readonly hint?: string | undefined
  /** What alone can be chosen, where not all can be. */
  readonly options?: Options | undefined
  /** `others` are the texts of fields that change with it. */
  readonly onChange: (text: string, others?: Readonly<Record<string, string>>) => void
}

/** A control for a field, by its type and its name. */
export function FieldControl(props: FieldControlProps) {
  const { field, text, faults, hint = hints[field.localName], options, onChange } = props
  const label = labelOf(field.localName)
  const fault = faults[0]?.text
  const common = { label, value: text, fault, hint, onChange }
  const control = controlOf(field)
  const known = useUsed(field.localName === 'customServiceId' ? '' : field.localName)
  const services = useUsed(field.localName === 'customServiceName' ? 'customServiceId' : '')
  if (field.localName === 'types') return <EventTypesField {...common} text={text} />
  if (options && control === 'list') {
    return <ChecksField {...common} text={text} known={options.map(({ value }) => value)} wordsOf={String} />
  }
  if (options) {
    const isChosen = options.some(({ value }) => value === text)
    return <SelectField {...common} options={isChosen ? options : [{ value: '', text: 'Choose' }, ...options]} />
  }
  switch (control) {
    case 'check':
      return <CheckField label={label} checked={text === 'true'} onChange={(checked) => onChange(String(checked))} />
    case 'choice': {
      if (field.fieldKind !== 'enum') return null
      return <SelectField {...common} value={text === '0' ? '' : text} options={enumOptions(field.enum, 'Choose')} />
    }
    case 'reference': {
      const kind = kindOf(field.localName)
      return kind && <Picker {...common} kind={kind} />
    }
    case 'duration':
      return <Span {...common} />
    case 'number':
      return <TextField {...common} type="number" />
    case 'list':
      return <Picker {...common} isMany known={known ?? new Map()} hint={hint ?? 'Press Enter after each.'} />
    case 'messages':
      return (
        field.message && (
          <MessageFields field={field} schema={field.message} text={text} faults={faults} onChange={onChange} />
        )
      )
    case 'lines':
    case 'text': {
      if (known === undefined) return <TextField {...common} lines={control === 'lines'} />
      // Whoever chooses a service by its name chooses its id.
      const idOf = (name: string) => [...(services ?? [])].find(([, each]) => each === name)?.[0] ?? ''
      const choose = (next: string) => onChange(next, known.has(next) ? { customServiceId: idOf(next) } : {})
      return <Picker {...common} known={known} onChange={services ? choose : onChange} />
    }
  }
}

/** A choice of types of events; none of them means all. */
function EventTypesField(field: Omit<Parameters<typeof ChecksField>[0], 'known' | 'wordsOf' | 'all'>) {
  const { data } = useQuery(AuditLogService.method.listAuditActions, undefined, { staleTime: 300_000 })
  const all = field.text === '' ? 'All events, also of kinds to come' : 'All events'
  return <ChecksField {...field} known={data?.data ?? []} wordsOf={actionText} all={all} />
}

interface ChecksFieldProps extends Labelled {
  /** The chosen ones, one on each line. */
  readonly text: string
  /** What there is to choose, such as `team.create` or `teams:read`. */
  readonly known: readonly string[]
  readonly wordsOf: (value: string) => string
  /** What it is called that none is chosen, where that means all. */
  readonly all?: string
  readonly onChange: (text: string) => void
}

/** A choice of several of many, which are searched, and stand together by what they are about. */
function ChecksField({ label, text, known, wordsOf, all, hint, fault, onChange }: ChecksFieldProps) {
  const [sought, setSought] = useState('')
  const chosen = text.split('\n').filter(Boolean)
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (value: string) => words.every((word) => `${value} ${wordsOf(value)}`.toLowerCase().includes(word))
  const found = [...new Set([...known, ...chosen])].filter(isFound)
  const things = [...new Set(found.map(thingOf))].sort((one, other) => one.localeCompare(other))
  const toggle = (value: string) => (isOn: boolean) =>
    onChange((isOn ? [...chosen, value] : chosen.filter((each) => each !== value)).join('\n'))
  return (
    <fieldset className={styles['nested']}>
      <legend>{label}</legend>
      {(fault ?? hint) && (
        <p role={fault && 'alert'} className={fault ? controls['fault'] : controls['hint']}>
          {fault ?? hint}
        </p>
      )}
      {all !== undefined && (
        <CheckField label={all} checked={chosen.length === 0} onChange={(isAll) => isAll && onChange('')} />
      )}
      <TextField label={`Search ${label.toLowerCase()}`} type="search" value={sought} onChange={setSought} />
      <div className={styles['types']}>
        {things.map((thing) => (
          <fieldset key={thing} aria-label={thing}>
            <strong>{thing}</strong>
            {found
              .filter((value) => thingOf(value) === thing)
              .map((value) => (
                <CheckField
                  key={value}
                  label={wordsOf(value)}
                  checked={chosen.includes(value)}
                  onChange={toggle(value)}
                />
              ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}

/** What a value is about, in words. */
const thingOf = (value: string): string => sentence(thingText(value.split(/[.:]/)[0] ?? ''))
