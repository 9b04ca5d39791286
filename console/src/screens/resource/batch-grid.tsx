import { type DescField, fromJson, type Message } from '@bufbuild/protobuf'
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { useCaller, useOwnTeams } from '../../api/caller-context.js'
import { idOf, memberOf, nameOf } from '../../api/message.js'
import { usePages } from '../../api/pages.js'
import { whyNot } from '../../api/rights.js'
import { kindOf, useTeamsOf } from '../../api/things.js'
import { countText, labelOf, numberText } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import { Dialog } from '../../ui/dialog.js'
import { controlOf, draftOf } from '../../ui/field-draft.js'
import { type Column, PagedTable } from '../../ui/paged-table.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { editableFields, entryOf, type ResourceDeclaration } from './declaration.js'
import { FormFoot, faultsAt, useFormFaults } from './field-faults.js'

interface BatchGridProps {
  readonly declaration: ResourceDeclaration
  /** What the list asks for, of which all is edited where nothing is chosen. */
  readonly request: Record<string, never>
  /** As far as that is read. */
  readonly known: readonly Message[]
  readonly chosen: readonly Message[]
  readonly onClose: () => void
}

/** So many are changed by one call. */
const MAX_CHANGED = 1_000

/** Edits the texts of many things of a list in a grid, then shows what changes, and saves all of it or nothing. */
export function BatchGrid({ declaration, request, known, chosen, onClose }: BatchGridProps) {
  const { title, list, update, owner = '' } = declaration
  const caller = useCaller()
  const teams = useTeamsOf(kindOf(owner) ?? 'teams', useOwnTeams(update) !== undefined)
  // What belongs to another team is only read.
  const whyNotTo = (item: Message) => whyNot(update, caller, { teamId: teams.get(String(memberOf(item, owner))) })
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const [pasted, setPasted] = useState<{ readonly text: string; readonly before: typeof draft }>()
  const [first, setFirst] = useState<readonly string[]>([])
  const [focused, setFocused] = useState<string>()
  const pages = usePages(list, request, { isWanted: chosen.length === 0 })
  const all: readonly Message[] = chosen.length > 0 ? chosen : pages.isSuccess ? pages.rows : known
  const rows = all.toSorted((one, other) => Number(first.includes(idOf(other))) - Number(first.includes(idOf(one))))
  // Tab leads along one row and then out of the table, however long that is.
  const stop = rows.some((item) => idOf(item) === focused) ? focused : rows[0] && idOf(rows[0])
  const fields = editableFields(update).filter((field) => ['text', 'lines'].includes(controlOf(field)))
  const keyOf = (item: Message, { localName }: DescField) => `${idOf(item)} ${localName}`
  const textOf = (item: Message, field: DescField) => draft[keyOf(item, field)] ?? draftOf(field, item)
  const changes = all.flatMap((item) =>
    fields.flatMap((field) => {
      const [from, to] = [draftOf(field, item), textOf(item, field)]
      const label = `${nameOf(item)}: ${labelOf(field.localName)}`
      return from === to ? [] : [{ key: keyOf(item, field), id: idOf(item), name: field.jsonName, label, from, to }]
    }),
  )
  const entries: Record<string, Record<string, string>> = {}
  for (const { id, name, to } of changes) entries[id] = { id, ...entries[id], [name]: to }
  const changed = Object.keys(entries)
  const { localName = '', jsonName = '' } = entryOf(update).list ?? {}
  const input = fromJson(update.input, { [jsonName]: Object.values(entries) })
  const form = useFormFaults(update.input, input, { shown: Object.keys(changed), within: [localName] })
  const faultsOf = new Map(changed.map((id, index) => [id, form.at(index)]))
  const marked = changed.filter((id) => faultsOf.get(id)?.length)
  if (form.isReviewing) {
    return (
      <WriteDialog
        title={`Change ${changed.length === 1 ? 'one' : numberText(changed.length)} of ${numberText(all.length)}`}
        method={update}
        input={input}
        changes={() => changes}
        confirm="Save all"
        {...form.reviewed}
        said={() => `${numberText(changed.length)} saved.`}
        onDone={onClose}
      />
    )
  }
  // Cells of a spreadsheet fill those to the right of the one that they are pasted into, and below.
  const paste = async (event: ClipboardEvent<HTMLElement>) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '')
    const [id, field] = (event.target as HTMLInputElement).name.split(' ')
    if (!/[\t\n]/.test(text)) return
    event.preventDefault()
    const { parse } = await import('papaparse')
    const { data, errors } = parse<string[]>(text, { delimiter: '\t' })
    // Quotation marks that do not match are letters, as of lines that come from no spreadsheet.
    const lines = errors.length === 0 ? data : text.split(/\r?\n/).map((line) => line.split('\t'))
    const below = rows.slice(rows.findIndex((item) => idOf(item) === id))
    const beside = fields.slice(fields.findIndex((each) => each.localName === field))
    const given = below.flatMap((item, down) =>
      beside.flatMap((each, right) => {
        const cell = lines[down]?.[right]
        const given = controlOf(each) === 'lines' ? cell : cell?.replaceAll('\n', ' ')
        return given === undefined || whyNotTo(item) ? [] : [[keyOf(item, each), given]]
      }),
    )
    const taken = Math.min(lines.length, below.length)
    const left = lines.length - taken
    const more = left > 0 ? `; there was no room for ${numberText(left)} more` : ''
    const kept = below.slice(0, taken).filter(whyNotTo).length
    const stay = kept > 0 ? `; ${countText(kept, 'row')} of another team stayed as before` : ''
    setPasted({ text: `${countText(taken - kept, 'row')} pasted${more}${stay}.`, before: draft })
    setDraft((now) => ({ ...now, ...Object.fromEntries(given) }))
  }
  const columns: readonly Column<Message>[] = [
    { label: 'Now', cell: (item) => (whyNotTo(item) ? `${nameOf(item)} (read only)` : nameOf(item)) },
    ...fields.map((field, index) => ({
      label: labelOf(field.localName),
      isMinor: index > 0,
      cell: (item: Message) => {
        const fault = faultsAt(faultsOf.get(idOf(item)) ?? [], field.localName)[0]?.text
        // A field of one line would lose the lines of a text.
        const Control = controlOf(field) === 'lines' ? 'textarea' : 'input'
        return (
          <>
            <Control
              className={controls['input']}
              name={keyOf(item, field)}
              tabIndex={idOf(item) === stop ? 0 : -1}
              onFocus={() => setFocused(idOf(item))}
              aria-label={`${labelOf(field.localName)} of ${nameOf(item)}`}
              title={whyNotTo(item)}
              readOnly={whyNotTo(item) !== undefined}
              aria-invalid={fault !== undefined}
              value={textOf(item, field)}
              onChange={({ target }: { readonly target: { readonly value: string } }) =>
                setDraft({ ...draft, [keyOf(item, field)]: target.value })
              }
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
  const tooMany = changed.length > MAX_CHANGED && `At most ${numberText(MAX_CHANGED)} can be changed at once.`
  const readPages = async function* () {
    yield chosen
  }
  const onlyChosen = chosen.length > 0 && { hasNextPage: false, readPages }
  return (
    <Dialog title={`Edit ${title.toLowerCase()} as a table`} look="full" isTyped={changes.length > 0} onClose={onClose}>
      <p role="status">
        {pasted?.text ??
          'Enter and the arrows lead up and down, Tab along a row. Cells of a spreadsheet can be pasted.'}{' '}
        {pasted && (
          <Button look="quiet" onClick={() => [setDraft(pasted.before), setPasted(undefined)]}>
            Undo
          </Button>
        )}
        {marked.length > 0 && (
          <Button look="quiet" onClick={() => setFirst(marked)}>
            Show {countText(marked.length, 'row')} to correct
          </Button>
        )}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what happens in its fields. */}
      <div onPaste={(event) => void paste(event)} onKeyDown={moveInColumn} className={controls['cells']}>
        <PagedTable
          key={first.join()}
          isPart
          label={title}
          pages={{ ...pages, isPending: false, ...onlyChosen, rows }}
          columns={columns}
          keyOf={idOf}
          empty={{ title: 'There is nothing to edit' }}
        />
      </div>
      <FormFoot
        form={form}
        isTyped={changes.length > 0}
        onClose={onClose}
        why={changes.length === 0 ? 'Nothing is changed yet.' : tooMany || form.why}
      >
        {changes.length === 0 ? 'Review' : `Review ${countText(changes.length, 'change')}`}
      </FormFoot>
    </Dialog>
  )
}

/** Leads from a field of a table to the one above or below. */
function moveInColumn(event: KeyboardEvent<HTMLElement>): void {
  const isDown = event.key === 'Enter' || event.key === 'ArrowDown'
  const cell = (event.target as HTMLElement).closest(':is(input, textarea)')?.closest('td')
  if (!cell || event.shiftKey || event.nativeEvent.isComposing || !(isDown || event.key === 'ArrowUp')) return
  const next = isDown ? cell.parentElement?.nextElementSibling : cell.parentElement?.previousElementSibling
  const field = next?.children[cell.cellIndex]?.querySelector<HTMLInputElement>('input, textarea')
  event.preventDefault()
  field?.focus()
  field?.select()
}
