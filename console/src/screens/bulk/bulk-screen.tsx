import { useTransport } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  UserProfileFieldSchema,
  UserService,
  UserUpdateOutcome,
  UserUpdateOutcomeSchema,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { enumText } from '../../api/words.js'
import { Badge, Button, type Tone, Toolbar } from '../../ui/button.js'
import { Field, TextField } from '../../ui/field.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { FailureBox } from '../../ui/states.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { columns, MAX_UPDATES, readUpdates } from './csv-updates.js'
import { decodeFile } from './decode-file.js'
import { type PlannedLine, planUpdates } from './plan.js'

const { batchUpdateUsers } = UserService.method

const tones: Readonly<Record<UserUpdateOutcome, Tone>> = {
  [UserUpdateOutcome.UNSPECIFIED]: 'plain',
  [UserUpdateOutcome.UPDATED]: 'good',
  [UserUpdateOutcome.UNCHANGED]: 'plain',
  [UserUpdateOutcome.REFUSED]: 'bad',
}

/** Changes many people at once from a file: first the plan, a line for each, then the changes. */
export function BulkScreen() {
  const transport = useTransport()
  const [text, setText] = useState('')
  const [isSaving, setSaving] = useState(false)
  const [done, setDone] = useState<readonly PlannedLine[]>()
  const [notice, setNotice] = useState<string>()
  const noRight = useWhyNot(batchUpdateUsers)
  const { updates, faults } = readUpdates(text)
  const plan = useMutation({
    mutationFn: () => planUpdates(transport, updates),
  })
  const edit = (next: string) => {
    setText(next)
    setDone(undefined)
    setNotice(undefined)
    plan.reset()
  }
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      const { text: decoded, guessed } = decodeFile(new Uint8Array(await file.arrayBuffer()))
      edit(decoded)
      setNotice(guessed && `The file is not UTF-8: it was read as ${guessed}. Look at the names in the plan.`)
    } catch (error) {
      edit('')
      setNotice(error instanceof Error ? error.message : String(error))
    }
  }
  const planned = plan.data?.faults.length === 0 ? plan.data.lines : undefined
  const shownFaults = text.trim() === '' ? [] : [...faults, ...(plan.data?.faults ?? [])]
  const why = noRight ?? (updates.length === 0 || faults.length > 0 ? 'Give a file that can be read first.' : undefined)
  const changing = planned?.filter(({ result }) => result.outcome === UserUpdateOutcome.UPDATED).length ?? 0
  return (
    <Screen
      title="Change many people"
      above={<Link to="/people">People</Link>}
      lead={`A file of separated values, as a spreadsheet saves it, with a header and at most ${MAX_UPDATES} people. Columns: ${columns.join(', ')}. Each person is named by id, or by email address. An empty cell leaves a field as it is.`}
    >
      <Panel title="File">
        <Field label="Choose a file">
          {({ id }) => (
            <input
              id={id}
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void take(event.target.files?.[0])}
            />
          )}
        </Field>
        <p role="status">{notice}</p>
        <TextField label="Or paste its lines" lines value={text} onChange={edit} placeholder="id,department" />
        {shownFaults.map((fault) => (
          <p key={fault} role="alert">
            {fault}
          </p>
        ))}
        <Toolbar>
          <Button look="main" onClick={() => plan.mutate()} why={why}>
            Show the plan
          </Button>
        </Toolbar>
      </Panel>
      {plan.error && <FailureBox error={plan.error} onRetry={() => plan.mutate()} />}
      {(done ?? planned) && (
        <Panel
          title={done ? 'Done' : 'Plan'}
          actions={
            !done && (
              <Button
                look="main"
                onClick={() => setSaving(true)}
                why={changing === 0 ? 'The plan changes nobody.' : undefined}
              >
                Change {changing === 1 ? '1 person' : `${changing} people`}
              </Button>
            )
          }
        >
          <ShortTable
            label="What becomes of each"
            columns={lineColumns}
            rows={done ?? planned ?? []}
            keyOf={({ line }) => String(line)}
          />
        </Panel>
      )}
      {isSaving && (
        <WriteDialog
          title="Change many people"
          method={batchUpdateUsers}
          input={{ users: [...(plan.data?.updates ?? [])] }}
          changes={() => [{ label: 'People', to: `${changing} changed, as the plan says` }]}
          confirm="Change them"
          onClose={() => setSaving(false)}
          onDone={({ data }) => {
            setSaving(false)
            setDone(planned?.flatMap((each, index) => ({ ...each, result: data[index] ?? each.result })))
          }}
        />
      )}
    </Screen>
  )
}

const lineColumns: readonly Column<PlannedLine>[] = [
  { label: 'Person', cell: ({ result }) => <PersonLink id={result.userId} /> },
  { label: 'Line', size: 'narrow', cell: ({ line }) => line },
  {
    label: 'Outcome',
    cell: ({ result: { outcome } }) => (
      <Badge tone={tones[outcome]}>{enumText(UserUpdateOutcomeSchema, outcome)}</Badge>
    ),
  },
  { label: 'Changed', cell: ({ changes }) => changes.map((change) => <div key={change}>{change}</div>) },
  {
    label: 'Skipped or refused, and why',
    cell: ({ result: { refusal, skippedPinnedFields, skippedDirectoryLockedFields } }) => (
      <>
        {refusal?.message}
        {skippedPinnedFields.length > 0 && `Pinned: ${namesOf(skippedPinnedFields)}. `}
        {skippedDirectoryLockedFields.length > 0 &&
          `Supplied by the directory: ${namesOf(skippedDirectoryLockedFields)}.`}
      </>
    ),
  },
]

function namesOf(fields: readonly number[]): string {
  return fields.map((field) => enumText(UserProfileFieldSchema, field)).join(', ')
}
