import SearchIcon from 'lucide-react/dist/esm/icons/search.mjs'
import X from 'lucide-react/dist/esm/icons/x.mjs'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useCaller } from '../api/caller-context.js'
import { whyNot } from '../api/rights.js'
import { type Kind, methodsOf, ThingName } from '../api/things.js'
import { useFilters } from './address.js'
import { Button } from './button.js'
import type { PickerProps } from './combobox.js'
import { Field } from './field.js'
import { Picker } from './picker.js'
import styles from './screen.module.css'
import type { Asked } from './states.js'

/** Long enough that a word is not asked for letter by letter, and short enough not to be noticed. */
const PAUSE_MILLIS = 60

/** What narrows a list, under a name in the address. */
export interface Filter {
  readonly name: string
  readonly label: string
  /** Text that is searched for while it is typed; a day; one of a few; a thing; or what only a link sets, shown as `text`. */
  readonly kind?: 'search' | 'day' | 'choice' | 'thing' | 'fixed'
  readonly options?: readonly { readonly value: string; readonly text: string }[]
  /** What the options were asked for with. */
  readonly asked?: Pick<Asked, 'error' | 'refetch'>
  /** What things are chosen from, by name. */
  readonly of?: Kind
  readonly text?: ReactNode
  /** What has no meaning any more once it is changed. */
  readonly resets?: readonly string[]
}

/** The filters of a list. Each that narrows it stands out, and is taken away by a button of its own. */
export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const [given, change] = useFilters()
  const caller = useCaller()
  return (
    <search aria-label="Filters" className={styles['filters']}>
      {filters.map((filter) => {
        const value = given[filter.name] ?? ''
        const without = Object.fromEntries(filter.resets?.map((name) => [name, '']) ?? [])
        const set = (next: string) => change({ ...without, [filter.name]: next })
        if (filter.kind === 'search') {
          return <SearchFilter key={filter.name} label={filter.label} value={value} onChange={set} />
        }
        const isNarrow = filter.of !== undefined && whyNot(methodsOf(filter.of).list, caller) !== undefined
        if ((filter.kind === 'fixed' || isNarrow) && value === '') return null
        return <Chip key={filter.name} filter={filter} value={value} onChange={set} />
      })}
    </search>
  )
}

interface ChipProps {
  readonly filter: Filter
  readonly value: string
  readonly onChange: (value: string) => void
}

function Chip({ filter, value, onChange }: ChipProps) {
  const { label, kind = 'choice', options = [], asked, of, text } = filter
  const id = useId()
  return (
    <span className={styles['chip']} data-active={value !== ''}>
      {kind !== 'thing' && <label htmlFor={kind === 'fixed' ? undefined : id}>{label}</label>}
      {of && (
        <span className={styles['picked']}>
          <ThingFilter kind={of} label={label} value={value} onChange={onChange} />
        </span>
      )}
      {kind === 'choice' && (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
          {options.every((option) => option.value !== value) && <option value={value}>{value}</option>}
        </select>
      )}
      {Boolean(asked?.error) && (
        <Button look="quiet" label={`Try again to read the choices: ${label}`} onClick={() => void asked?.refetch()}>
          Try again
        </Button>
      )}
      {kind === 'day' && <input id={id} type="date" value={value} onChange={(event) => onChange(event.target.value)} />}
      {kind === 'fixed' && <>&nbsp;{text ?? value}</>}
      {value !== '' && (
        <button type="button" aria-label={`Remove the filter ${label}`} onClick={() => onChange('')}>
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}

/** A thing by its name. What it is searched with is loaded when it is first entered, and takes over what is typed by then. */
function ThingFilter(props: Required<Pick<PickerProps, 'kind' | 'label' | 'value' | 'onChange'>>) {
  const [typed, setTyped] = useState<string>()
  if (typed !== undefined) return <Picker {...props} typed={typed} />
  const { kind, label, value } = props
  const enter = async (field: HTMLInputElement) => {
    await Picker.preload?.()
    // Whoever has gone on meanwhile is not called back.
    if (document.activeElement === field) setTyped(field.value)
  }
  return (
    <Field label={label}>
      {({ id }) =>
        value === '' ? (
          <input id={id} placeholder="Search by name" onFocus={(event) => void enter(event.currentTarget)} />
        ) : (
          <ThingName kind={kind} id={value} />
        )
      }
    </Field>
  )
}

/** A field for text that is searched for while it is typed. */
export function SearchFilter({ label, value, onChange }: Pick<PickerProps, 'label' | 'value' | 'onChange'>) {
  const [text, setText] = useState(value)
  const [reported, setReported] = useState(value)
  // The address has changed by itself: back, forward, or a link.
  if (value !== reported) {
    setReported(value)
    setText(value)
  }
  useEffect(() => {
    if (text === reported) return
    const timer = setTimeout(() => {
      setReported(text)
      onChange(text)
    }, PAUSE_MILLIS)
    return () => clearTimeout(timer)
  }, [text, reported, onChange])
  return (
    <span className={styles['search']}>
      <SearchIcon size={15} aria-hidden />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </span>
  )
}
