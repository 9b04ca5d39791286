import { fromJson, type Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { idOf, nameOf } from '../../api/message.js'
import { countText, labelOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { controlOf, draftOf } from '../../ui/field-draft.js'
import type { Column } from '../../ui/paged-table.js'
import { ShortTable } from '../../ui/short-table.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { editableFields, entryOf, type ResourceDeclaration } from './declaration.js'
import { faultsAt, useFormFaults } from './field-faults.js'

interface BatchGridProps {
  readonly declaration: ResourceDeclaration
  readonly rows: readonly Message[]
  readonly onClose: () => void
}

/** So many stand in a grid: a filter chooses which. */
const MAX_ROWS = 100

/** Edits the texts of many things of a list in a grid, then shows what changes, and saves all of it or nothing. */
export function BatchGrid({ declaration: { title, update }, rows, onClose }: BatchGridProps) {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const [isReviewing, setReviewing] = useState(false)
  const fields = editableFields(update).filter((field) => ['text', 'lines'].includes(controlOf(field)))
  const keyOf = (item: Message, name: string) => `${idOf(item)} ${name}`
  const changes = rows.flatMap((item) =>
    fields.flatMap((field) => {
      const [from, to] = [draftOf(field, item), draft[keyOf(item, field.localName)]]
      return to === undefined || to === from ? [] : [{ item, field, from, to }]
    }),
  )
  const { list } = entryOf(update)
  const changed = [...new Set(changes.map(({ item }) => item))]
  const entries = changed.map((item) => ({
    id: idOf(item),
    ...Object.fromEntries(changes.filter((each) => each.item === item).map(({ field, to }) => [field.jsonName, to])),
  }))
  const input = fromJson(update.input, list === undefined ? {} : { [list.jsonName]: entries })
  const form = useFormFaults(update.input, input, {
    shown: Object.keys(changed),
    within: [list?.localName ?? ''],
  })
  const faultOf = (item: Message, name: string) => faultsAt(form.at(changed.indexOf(item)), name)[0]?.text
  if (isReviewing) {
    return (
      <WriteDialog
        title={`Change ${changed.length === 1 ? 'one' : changed.length} of ${rows.length}`}
        method={update}
        input={input}
        changes={() =>
          changes.map(({ item, field, from, to }) => ({
            label: `${nameOf(item)}: ${labelOf(field.localName)}`,
            from,
            to,
          }))
        }
        confirm="Save all"
        isTyped
        said={() => `${changed.length} saved.`}
        onFaults={(found) => form.refuse(found, () => setReviewing(false))}
        onClose={() => setReviewing(false)}
        onDone={onClose}
      />
    )
  }
  const columns: readonly Column<Message>[] = [
    { label: 'Now', cell: nameOf },
    ...fields.map((field) => ({
      label: labelOf(field.localName),
      cell: (item: Message) => {
        const key = keyOf(item, field.localName)
        const fault = faultOf(item, field.localName)
        return (
          <>
            <input
              className={controls['input']}
              aria-label={`${labelOf(field.localName)} of ${nameOf(item)}`}
              aria-invalid={fault !== undefined}
              value={draft[key] ?? draftOf(field, item)}
              onChange={(event) => setDraft({ ...draft, [key]: event.target.value })}
            />
            {fault && (
              <p role="alert" className={controls['fault']}>
                {fault}
              </p>
            )}
          </>
        )
      },
    })),
  ]
  return (
    <Dialog title={`Edit ${title.toLowerCase()} as a table`} look="full" isTyped={changes.length > 0} onClose={onClose}>
      {rows.length > MAX_ROWS && <p>The first {MAX_ROWS}. Choose rows of the list, or narrow it, to edit others.</p>}
      <ShortTable label={title} columns={columns} rows={rows.slice(0, MAX_ROWS)} keyOf={idOf} />
      <DialogFoot>
        <Button onClick={onClose}>{changes.length > 0 ? 'Discard changes' : 'Cancel'}</Button>
        <Button
          look="main"
          onClick={() => form.review(() => setReviewing(true))}
          why={changes.length === 0 ? 'Nothing is changed yet.' : form.why}
        >
          Review {countText(changes.length, 'change')}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
