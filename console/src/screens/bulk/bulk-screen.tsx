import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  UserService,
  UserUpdateOutcome,
  UserUpdateOutcomeSchema,
  type UserUpdateResult,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { callTagged } from '../../api/tagged.js'
import { countText, labelOf, numberText } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import { CheckField, Field, TextField } from '../../ui/field.js'
import { FirstFew } from '../../ui/first-few.js'
import type { Column } from '../../ui/paged-table.js'
import { Panel, Screen } from '../../ui/screen.js'
import { ShortTable } from '../../ui/short-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { FailureBox } from '../../ui/states.js'
import { Unsaved } from '../../ui/unsaved.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { skippedText } from '../person/person-form.js'
import { governedFields } from '../person/profile-facts.js'
import { columns, MAX_UPDATES, readUpdates } from './csv-updates.js'
import { decodeFile } from './decode-file.js'
import { badLine, type PlannedLine, partsOf, planUpdates } from './plan.js'

const { batchUpdateUsers } = UserService.method

/** Changes many people at once from a file: first the plan, a line for each, then the changes. */
export function BulkScreen() {
  const transport = useTransport()
  const [text, setText] = useState('')
  const [isSaving, setSaving] = useState(false)
  const [isPinning, setPinning] = useState(true)
  const [results, setResults] = useState<readonly UserUpdateResult[]>()
  const [notice, setNotice] = useState<string>()
  const noRight = useWhyNot(batchUpdateUsers)
  const { updates, ignored, faults, badLines } = readUpdates(text)
  const plan = useMutation({ mutationFn: () => planUpdates(transport, updates) })
  const sent = plan.data?.updates ?? []
  const isDone = results?.length === sent.length
  // The first part is written by the dialog. One that fails is where it goes on.
  const rest = useMutation({
    mutationFn: async (written: readonly UserUpdateResult[]) => {
      setResults(written)
      for (const users of partsOf(sent.slice(written.length))) {
        written = [...written, ...(await callTagged(transport, batchUpdateUsers, { users })).message.data]
        setResults(written)
      }
      if (!isPinning) await releaseFields(transport, written)
    },
  })
  const edit = (next: string) => {
    setText(next)
    setResults(undefined)
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
  const resultOf = new Map(results?.map((result) => [result.userId, result]))
  const planned =
    plan.data &&
    [...plan.data.lines, ...badLines.map(({ line, who, fault }) => badLine(line, who, fault))]
      .toSorted((a, b) => a.line - b.line)
      .map((each) => {
        const result = each.fault === undefined ? resultOf.get(each.userId) : undefined
        return result === undefined ? each : { ...each, result, outcome: result.outcome }
      })
  const isEmpty = updates.length + badLines.length === 0
  const why = isEmpty || faults.length > 0 ? 'Give a file that can be read first.' : undefined
  const changing = planned?.filter(isChanged).length ?? 0
  const same = planned?.filter(isSame).length ?? 0
  const refused = planned?.filter(({ outcome }) => outcome === UserUpdateOutcome.REFUSED).length ?? 0
  return (
    <Screen
      title="Change many people"
      why={noRight}
      above={<Link to="/people">People</Link>}
      lead={`A CSV file, as a spreadsheet saves it, with a header and a line for each person. ID or email says who it is; an empty cell leaves a field as it is. You can edit an export of People and upload it again. More than ${MAX_UPDATES} people are sent in parts of as many, each all or nothing.`}
    >
      <Panel title="File">
        <Field label="Choose a file">
          {({ id }) => (
            <input id={id} type="file" accept=".csv,text/csv" onChange={({ target }) => void take(target.files?.[0])} />
          )}
        </Field>
        <p role="status">{notice}</p>
        <TextField
          label="Or paste its lines"
          lines
          value={text}
          onChange={edit}
          placeholder="email,department"
          hint={`Columns: ${columns.map(labelOf).join(', ')}.`}
        />
        {text.trim() !== '' &&
          faults.map((fault) => (
            <p key={fault} role="alert">
              {fault}
            </p>
          ))}
        {ignored.length > 0 && <p>Not changed by this: {ignored.join(', ')}.</p>}
        <CheckField
          label="Pin what the file changes, so that automation cannot change it until it is released"
          checked={isPinning}
          onChange={setPinning}
        />
        {!isPinning && <p>What is changed is handed back right after, so the next writer may change it.</p>}
        <Toolbar>
          <Button look="main" onClick={() => plan.mutate()} why={why}>
            Show the plan
          </Button>
          <a className={controls['button']} href={templateUrl} download="people.csv">
            Download a template
          </a>
        </Toolbar>
      </Panel>
      {plan.error && <FailureBox error={plan.error} onRetry={() => plan.mutate()} />}
      {rest.error && <FailureBox error={rest.error} onRetry={() => rest.mutate(results ?? [])} />}
      {text !== '' && !isDone && !isSaving && <Unsaved />}
      {planned && (
        <Panel
          title={isDone ? 'Done' : results ? 'Being changed' : 'Plan'}
          actions={
            results ? (
              <p role="status">{!isDone && `${numberText(results.length)} of ${numberText(sent.length)} sent`}</p>
            ) : (
              <Toolbar>
                {same > 0 && <Badge>{numberText(same)} unchanged</Badge>}
                {refused > 0 && <Badge tone="bad">{countText(refused, 'line left out', 'lines left out')}</Badge>}
                <Button
                  look="main"
                  onClick={() => setSaving(true)}
                  why={changing === 0 ? 'The plan changes nobody.' : undefined}
                >
                  Change {countText(changing, 'person', 'people')}
                </Button>
              </Toolbar>
            )
          }
        >
          <FirstFew items={planned.filter((line) => !isSame(line))} few={200} many="lines">
            {(shown) => (
              <ShortTable
                label="What becomes of each"
                columns={columnsOf(resultOf)}
                rows={shown}
                keyOf={({ line }) => String(line)}
                empty={['Nothing changes', 'Everybody in the file is already as it says.']}
              />
            )}
          </FirstFew>
        </Panel>
      )}
      {isSaving && (
        <WriteDialog
          title="Change many people"
          method={batchUpdateUsers}
          input={{ users: sent.slice(0, MAX_UPDATES) }}
          changes={() => [
            { label: 'People', to: `${numberText(changing)} changed, as the plan says` },
            { label: 'Pins', to: isPinning ? 'What is changed is pinned' : 'What is changed is handed back' },
          ]}
          confirm="Change them"
          isTyped
          said={({ data }) => `${countText(data.filter(isChanged).length, 'person is', 'people are')} changed.`}
          onClose={() => setSaving(false)}
          onDone={({ data }) => {
            setSaving(false)
            rest.mutate(data)
          }}
        />
      )}
    </Screen>
  )
}

/** Whether a line says nothing but what is there. */
const isSame = ({ result, fault }: PlannedLine) => result === undefined && fault === undefined

const isChanged = ({ outcome }: Pick<PlannedLine, 'outcome'>) => outcome === UserUpdateOutcome.UPDATED

const columnsOf = (done: ReadonlyMap<string, unknown>): readonly Column<PlannedLine>[] => [
  {
    label: 'Person',
    cell: ({ userId, person }) =>
      person ? <Link to={`/people/${encodeURIComponent(userId)}`}>{nameOf(person)}</Link> : userId || '–',
  },
  { label: 'Line', size: 'narrow', cell: ({ line }) => line },
  {
    label: 'Outcome',
    cell: (line) =>
      isChanged(line) && !done.has(line.userId) ? (
        <Badge tone="good">Will be updated</Badge>
      ) : (
        <StateBadge schema={UserUpdateOutcomeSchema} value={line.outcome} />
      ),
  },
  { label: 'Changed', cell: ({ changes }) => changes.map((change) => <div key={change}>{change}</div>) },
  {
    label: 'Skipped or refused, and why',
    cell: ({ fault, result }) => fault ?? result?.refusal?.message ?? (result && skippedText(result)),
  },
]

const templateUrl = `data:text/csv;charset=utf-8,${encodeURIComponent('email,department,jobTitle\nname@example.com,Sales,Account manager\n')}`

/** Hands the fields that were set back to automation: a person's write pins them. */
async function releaseFields(transport: Transport, results: readonly UserUpdateResult[]): Promise<void> {
  const fieldsOf = ({ changedFields }: UserUpdateResult) =>
    governedFields.flatMap(({ field, property }) => (changedFields.includes(property) ? field : []))
  const users = results
    .map((result) => ({ id: result.userId, releaseFields: fieldsOf(result) }))
    .filter((update) => update.releaseFields.length > 0)
  for (const part of partsOf(users)) await callTagged(transport, batchUpdateUsers, { users: part })
}
