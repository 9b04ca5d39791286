import type { DescField } from '@bufbuild/protobuf'
import { useTeams } from '../../api/names.js'
import { enumOptions, labelOf } from '../../api/words.js'
import { DurationField } from '../../ui/duration-field.js'
import { CheckField, SelectField, TextField } from '../../ui/field.js'
import { controlOf } from './field-draft.js'
import { MessageFields } from './message-fields.js'

interface FieldControlProps {
  readonly field: DescField
  readonly text: string
  readonly fault: string | undefined
  readonly onChange: (text: string) => void
}

/** A control for a field, by its type and its name. */
export function FieldControl({ field, text, fault, onChange }: FieldControlProps) {
  const teams = useTeams()
  const label = labelOf(field.localName)
  const common = { label, value: text, fault, onChange }
  const control = controlOf(field)
  switch (control) {
    case 'check':
      return <CheckField label={label} checked={text === 'true'} onChange={(checked) => onChange(String(checked))} />
    case 'choice': {
      if (field.fieldKind !== 'enum') return null
      return <SelectField {...common} value={text === '0' ? '' : text} options={enumOptions(field.enum, 'Choose')} />
    }
    case 'team': {
      const options = [{ value: '', text: 'Choose' }, ...teams.map(({ id, name }) => ({ value: id, text: name }))]
      return <SelectField {...common} options={options} />
    }
    case 'duration':
      return <DurationField label={label} seconds={Number(text)} onChange={(seconds) => onChange(String(seconds))} />
    case 'number':
      return <TextField {...common} type="number" />
    case 'list':
      return <TextField {...common} lines hint="One on each line." />
    case 'messages':
      return (
        field.message && (
          <MessageFields field={field} schema={field.message} text={text} fault={fault} onChange={onChange} />
        )
      )
    case 'lines':
    case 'text':
      return <TextField {...common} lines={control === 'lines'} />
  }
}
