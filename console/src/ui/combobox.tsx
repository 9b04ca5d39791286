import { Combobox } from '@base-ui/react/combobox'
import { use, useId, useState } from 'react'
import { FormMethod, useCaller, useWhyNot } from '../api/caller-context.js'
import { whyNot } from '../api/rights.js'
import { type Choice, type Kind, methodsOf, ThingName, useChoices, useThingName } from '../api/things.js'
import { Button } from './button.js'
import styles from './controls.module.css'
import { Field, type Labelled } from './field.js'

export interface PickerProps extends Labelled {
  readonly kind: Kind
  /** The id of what is chosen; empty as long as nothing is. */
  readonly value: string
  /** These cannot be chosen. */
  readonly without?: ReadonlySet<string>
  readonly placeholder?: string | undefined
  /** What was typed before it was there, which it goes on from, with the focus. */
  readonly typed?: string
  readonly onChange: (id: string) => void
}

/** A choice of one thing of a kind, which is searched by name. */
export function ComboboxPicker({
  label,
  kind,
  value,
  without,
  placeholder = 'Search by name',
  typed,
  onChange,
  ...field
}: PickerProps) {
  const [text, setText] = useState(typed ?? '')
  const [isTyped, setTyped] = useState(Boolean(typed))
  const { choices, isAsking, isCut, isError, refetch } = useChoices(kind, isTyped ? text : '')
  const name = useThingName(kind, value)
  const why = useWhyNot(methodsOf(kind).list)
  const listId = useId()
  const chosen: Choice | null = value === '' ? null : { id: value, name: name ?? '…' }
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
          defaultInputValue={typed || undefined}
          defaultOpen={Boolean(typed)}
          filter={null}
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
            if (next === '' && reason === 'input-change') onChange('')
          }}
          onOpenChange={(open) => !open && setTyped(false)}
          autoHighlight
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
              <Combobox.Popup className={styles['list']} id={listId}>
                <Combobox.Empty className={styles['nothing']}>
                  {isAsking ? 'Searching …' : (why ?? (!isError && 'Nothing has this name.'))}
                </Combobox.Empty>
                {isError && <Button onClick={() => void refetch()}>Could not be read. Try again</Button>}
                <Combobox.List>
                  {(choice: Choice) => (
                    <Combobox.Item key={choice.id} value={choice} className={styles['choice']}>
                      <span>{choice.name}</span>
                      <small>{choice.teamId ? <ThingName kind="teams" id={choice.teamId} /> : choice.email}</small>
                      <code>{choice.id}</code>
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
