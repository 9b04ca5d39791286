import { useState } from 'react'
import { sentence, thingText } from '../../api/words.js'
import controls from '../../ui/controls.module.css'
import { CheckField, type Labelled, TextField } from '../../ui/field.js'
import styles from '../../ui/screen.module.css'

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
export function ChecksField({ label, text, known, wordsOf, all, hint, fault, onChange }: ChecksFieldProps) {
  const [sought, setSought] = useState('')
  const chosen = text.split('\n').filter(Boolean)
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (value: string) => words.every((word) => `${value} ${wordsOf(value)}`.toLowerCase().includes(word))
  const found = [...new Set([...known, ...chosen])].filter(isFound)
  const things = [...new Set(found.map(thingOf))].sort((one, other) => one.localeCompare(other))
  const toggle = (value: string, isOn: boolean) =>
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
                  onChange={(isOn) => toggle(value, isOn)}
                />
              ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}

/** What a value is about, in words. */
function thingOf(value: string): string {
  return sentence(thingText(value.split(/[.:]/)[0] ?? ''))
}
