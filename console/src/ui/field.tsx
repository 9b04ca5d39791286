import { type ReactNode, useId, useState } from 'react'
import { durationUnits, largestUnit } from '../api/words.js'
import styles from './controls.module.css'

/** What stands around a control. */
export interface Labelled {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

interface FieldProps extends Labelled {
  /** The control, which gets the ids of its label and of what is said about it. */
  readonly children: (ids: { readonly id: string; readonly describedBy: string | undefined }) => ReactNode
}

/** A control with its label, a hint, and what is wrong with its value. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      {children({ id, describedBy })}
      {hint && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} className={styles['fault']} role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends Labelled {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'date'
  readonly lines?: boolean
  readonly placeholder?: string
}

/** A field for text, on one line or on several. */
export function TextField({ value, onChange, type = 'text', lines, placeholder, ...field }: TextFieldProps) {
  const Control = lines ? 'textarea' : 'input'
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <Control
          id={id}
          {...(!lines && { type })}
          value={value}
          placeholder={placeholder}
          className={styles['input']}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={describedBy}
          aria-invalid={field.fault !== undefined}
          onChange={({ target }: { readonly target: { readonly value: string } }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface SelectFieldProps extends Labelled {
  readonly value: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly onChange: (value: string) => void
}

/** A choice of one of a few. */
export function SelectField({ value, options, onChange, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <select
          id={id}
          value={value}
          className={styles['input']}
          aria-describedby={describedBy}
          aria-invalid={field.fault !== undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckFieldProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** A yes or a no. */
export function CheckField({ label, checked, onChange }: CheckFieldProps) {
  return (
    <label className={styles['check']}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}

const HOUR = 3_600

interface DurationFieldProps extends Labelled {
  readonly seconds: number
  readonly onChange: (seconds: number) => void
}

/** A length of time: a number and its unit. With a hint it may be empty, which is none. */
export function DurationField({ seconds, onChange, ...field }: DurationFieldProps) {
  const [unit, setUnit] = useState(() => String(seconds === 0 ? HOUR : largestUnit(seconds)[1]))
  const size = Number(unit)
  return (
    <div className={styles['duration']}>
      <TextField
        {...field}
        type="number"
        value={field.hint && seconds === 0 ? '' : String(seconds / size)}
        onChange={(text) => onChange(Math.round(Number(text) * size))}
      />
      <SelectField
        label="Unit"
        value={unit}
        options={durationUnits.map(([word, each]) => ({ value: String(each), text: `${word}s` }))}
        onChange={(next) => {
          setUnit(next)
          onChange(Math.round((seconds / size) * Number(next)))
        }}
      />
    </div>
  )
}
