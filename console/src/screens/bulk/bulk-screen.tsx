import { useTransport } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  UserProfileFieldSchema,
  UserService,
  UserUpdateOutcome,
  UserUpdateOutcomeSchema,
  type UserUpdateResult,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { PersonLink } from '../../api/names.js'
import { callTagged } from '../../api/tagged.js'
import { enumText, labelOf } from '../../api/words.js'
import { Badge, Button, type Tone, Toolbar } from '../../ui/button.js'
import { Field, TextField } from '../../ui/field.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { FailureBox } from '../../ui/states.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { columns, MAX_UPDATES, readUpdates } from './csv-updates.js'

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
  const [done, setDone] = useState<readonly UserUpdateResult[]>()
  const noRight = useWhyNot(batchUpdateUsers)
  const { updates, faults } = readUpdates(text)
  const plan = useMutation({
    mutationFn: () => callTagged(transport, batchUpdateUsers, { users: [...updates], validateOnly: true }),
  })
  const edit = (next: string) => {
    setText(next)
    setDone(undefined)
    plan.reset()
  }
  const planned = plan.data?.message.data
  const why = noRight ?? (updates.length === 0 || faults.length > 0 ? 'Give a file that can be read first.' : undefined)
  const changing = planned?.filter(({ outcome }) => outcome === UserUpdateOutcome.UPDATED).length ?? 0
  return (
    <Screen
      title="Change many people"
      above={<Link to="/people">People</Link>}
      lead={`A file of comma-separated values with a header and at most ${MAX_UPDATES} lines. Columns: ${columns.join(', ')}. An empty cell leaves a field as it is.`}
    >
      <Panel title="File">
        <Field label="Choose a file">
          {({ id }) => (
            <input
              id={id}
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void event.target.files?.[0]?.text().then(edit)}
            />
          )}
        </Field>
        <TextField label="Or paste its lines" lines value={text} onChange={edit} placeholder="id,department" />
        {text.trim() !== '' &&
          faults.map((fault) => (
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
          <Results results={done ?? planned ?? []} />
        </Panel>
      )}
      {isSaving && (
        <WriteDialog
          title="Change many people"
          method={batchUpdateUsers}
          input={{ users: [...updates] }}
          changes={() => [{ label: 'People', to: `${changing} changed, as the plan says` }]}
          confirm="Change them"
          onClose={() => setSaving(false)}
          onDone={({ data }) => {
            setSaving(false)
            setDone(data)
          }}
        />
      )}
    </Screen>
  )
}

function Results({ results }: { readonly results: readonly UserUpdateResult[] }) {
  return (
    <ShortTable label="What becomes of each" columns={resultColumns} rows={results} keyOf={({ userId }) => userId} />
  )
}

const resultColumns: readonly Column<UserUpdateResult>[] = [
  { label: 'Person', cell: ({ userId }) => <PersonLink id={userId} /> },
  {
    label: 'Outcome',
    cell: ({ outcome }) => <Badge tone={tones[outcome]}>{enumText(UserUpdateOutcomeSchema, outcome)}</Badge>,
  },
  { label: 'Changed', cell: ({ changedFields }) => changedFields.map(labelOf).join(', ') || '–' },
  {
    label: 'Skipped or refused, and why',
    cell: ({ refusal, skippedPinnedFields, skippedDirectoryLockedFields }) => (
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
