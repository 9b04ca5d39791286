import type { DescField } from '@bufbuild/protobuf'
import { kindOf } from '../../api/things.js'
import { enumOptions, hints, labelOf } from '../../api/words.js'
import { DurationField } from '../../ui/duration-field.js'
import { CheckField, SelectField, TextField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import { EventTypesField } from './event-types-field.js'
import { controlOf } from './field-draft.js'
import type { FieldFault } from './field-faults.js'
import { MessageFields } from './message-fields.js'

interface FieldControlProps {
  readonly field: DescField
  readonly text: string
  /** What is wrong with it, or with the parts of what it holds. */
  readonly faults: readonly FieldFault[]
  readonly onChange: (text: string) => void
}

/** A control for a field, by its type and its name. */
export function FieldControl({ field, text, faults, onChange }: FieldControlProps) {
  const label = labelOf(field.localName)
  const fault = faults[0]?.text
  const common = { label, value: text, fault, hint: hints[field.localName], onChange }
  const control = controlOf(field)
  if (field.localName === 'types') return <EventTypesField label="Events" text={text} onChange={onChange} />
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
      return (
        <DurationField
          label={label}
          seconds={Number(text)}
          fault={fault}
          onChange={(seconds) => onChange(String(seconds))}
        />
      )
    case 'number':
      return <TextField {...common} type="number" />
    case 'list':
      return <TextField {...common} lines hint="One on each line." />
    case 'messages':
      return (
        field.message && (
          <MessageFields field={field} schema={field.message} text={text} faults={faults} onChange={onChange} />
        )
      )
    case 'lines':
    case 'text':
      return <TextField {...common} lines={control === 'lines'} />
  }
}
