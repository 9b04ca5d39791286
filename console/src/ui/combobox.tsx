import { Combobox } from '@base-ui/react/combobox'
import X from 'lucide-react/dist/esm/icons/x.mjs'
import { use, useState } from 'react'
import { FormMethod, useCaller, useWhyNot } from '../api/caller-context.js'
import { whyNot } from '../api/rights.js'
import { type Choice, type Kind, MAX_CHOICES, methodsOf, ThingName, useChoices, useThingName } from '../api/things.js'
import { spokenId } from '../api/words.js'
import { Button } from './button.js'
import styles from './controls.module.css'
import { Field, type Labelled } from './field.js'

export interface PickerProps extends Labelled {
  /** What it is one of; absent for values that no list has. */
  readonly kind?: Kind
  /** Of those, which are used already, with what each is called: any other can be typed. */
  readonly known?: ReadonlyMap<string, string> | undefined
  /** The id of what is chosen; empty as long as nothing is. */
  readonly value: string
  /** The value is several, one on each line. */
  readonly isMany?: boolean
  /** These cannot be chosen. */
  readonly without?: ReadonlySet<string>
  readonly placeholder?: string | undefined
  /** What was typed before it was there, which it goes on from, with the focus. */
  readonly typed?: string
  readonly onChange: (id: string) => void
}

/** A choice of one or several things of a kind, or of what is used already, searched by name. */
export function ComboboxPicker({ isMany = false, ...props }: PickerProps) {
  return isMany ? <SeveralPicker {...props} /> : <OnePicker {...props} />
}

function OnePicker({
  label,
  kind = 'teams',
  known,
  value,
  without,
  placeholder = known ? 'Search, or type another' : 'Search by name',
  typed,
  onType,
  onChange,
  ...field
}: PickerProps & { readonly onType?: (text: string) => void }) {
  const [text, setText] = useState(typed ?? '')
  const [isTyped, setTyped] = useState(Boolean(typed))
  const [isOpen, setOpen] = useState(Boolean(typed))
  const sought = isTyped ? text : ''
  const { choices: listed, isAsking, isCut, isError, refetch } = useChoices(kind, sought, known === undefined)
  const isSought = ({ id, name }: Choice) => `${name} ${id}`.toLowerCase().includes(sought.toLowerCase())
  const used = [...(known ?? [])].map(([id, name]): Choice => ({ id, name }))
  const choices = known ? used.filter(isSought) : listed
  const thing = useThingName(kind, known ? '' : value)
  const name = known ? (known.get(value) ?? value) : (thing ?? '…')
  const why = useWhyNot(methodsOf(kind).list)
  const chosen: Choice | null = value === '' ? null : { id: value, name }
  const caller = useCaller()
  const method = use(FormMethod) ?? methodsOf(kind).get
  const shown = choices.filter(({ id, teamId = kind === 'teams' ? id : undefined }) => {
    return !without?.has(id) && (teamId === undefined || whyNot(method, caller, { teamId }) === undefined)
  })
  return (
    <Field label={label} {...field}>
      {({ id, describedBy }) => (
        <Combobox.Root
          items={shown}
          inputValue={isTyped && !known ? text : (chosen?.name ?? '')}
          open={isOpen && (!known || shown.some((choice) => choice.name !== sought))}
          filter={null}
          limit={MAX_CHOICES}
          value={chosen}
          isItemEqualToValue={(one: Choice, other: Choice) => one.id === other.id}
          itemToStringLabel={(choice: Choice) => choice.name}
          onValueChange={(choice) => {
            setTyped(false)
            onChange(choice?.id ?? '')
          }}
          onInputValueChange={(next, { reason }) => {
            setText(next)
            setTyped(reason === 'input-change')
            if (reason !== 'input-change' || (next !== '' && !known)) return
            if (onType) onType(next)
            else onChange(used.find((each) => each.name === next)?.id ?? next)
          }}
          onOpenChange={(open) => {
            setOpen(open)
            if (!open) setTyped(false)
          }}
          autoHighlight={known === undefined}
        >
          <Combobox.Input
            id={id}
            className={styles['input']}
            placeholder={placeholder}
            autoFocus={typed !== undefined}
            // Where the list is closed it is for the dialog around it, and takes nothing that was chosen away.
            onKeyDown={(event) =>
              event.key === 'Escape' && event.currentTarget.ariaExpanded !== 'true' && event.preventBaseUIHandler()
            }
            aria-describedby={describedBy}
            aria-invalid={field.fault !== undefined}
            spellCheck={false}
          />
          <Combobox.Portal>
            <Combobox.Positioner className={styles['over']} sideOffset={4} align="start">
              <Combobox.Popup className={styles['list']}>
                <Combobox.Empty className={styles['nothing']}>
                  {isAsking ? 'Searching …' : (why ?? (!isError && 'Nothing has this name.'))}
                </Combobox.Empty>
                {isError && <Button onClick={() => void refetch()}>Could not be read. Try again</Button>}
                <Combobox.List>
                  {(choice: Choice) => (
                    <Combobox.Item key={choice.id} value={choice} className={styles['choice']}>
                      <span>{choice.name}</span>
                      <small>{choice.teamId ? <ThingName kind="teams" id={choice.teamId} /> : choice.email}</small>
                      {choice.id !== choice.name && <code>{choice.id}</code>}
                    </Combobox.Item>
                  )}
                </Combobox.List>
                {isCut && <p className={styles['nothing']}>There are more: type more of the name.</p>}
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  )
}

/** Those that are chosen, each with what takes it away. What is being typed is the last of them, so that it is not lost. */
function SeveralPicker({ value, onChange, ...field }: PickerProps) {
  const { kind, known } = field
  const [typed, setTyped] = useState('')
  const lines = value.split('\n').filter(Boolean)
  const kept = typed ? lines.slice(0, -1) : lines
  const set = (next: string, isDone = true) => {
    const id = [...(known ?? [])].find(([, name]) => name === next)?.[0] ?? next
    setTyped(isDone ? '' : next)
    onChange([...kept.filter((each) => !isDone || each !== id), id].filter(Boolean).join('\n'))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what happens in its field.
    <div className={styles['several']} onKeyDown={({ key }) => key === 'Enter' && typed && set(typed)}>
      <OnePicker
        {...field}
        {...(known && { onType: (text: string) => set(text, false) })}
        without={new Set(kept)}
        value={typed}
        onChange={set}
      />
      {kept.map((id) => (
        <button
          key={id}
          type="button"
          title={id}
          onClick={() => onChange(lines.filter((line) => line !== id).join('\n'))}
        >
          <span className="unseen">Remove </span>
          {kind ? <ThingName kind={kind} id={id} /> : (known?.get(id) ?? spokenId(id))}
          <X size={12} aria-hidden />
        </button>
      ))}
    </div>
  )
}
