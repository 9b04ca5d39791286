import { useState } from 'react'
import { durationUnits, largestUnit } from '../api/words.js'
import styles from './controls.module.css'
import { type Labelled, SelectField, TextField } from './field.js'

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
