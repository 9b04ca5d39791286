import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { useTransport } from '@connectrpc/connect-query'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Failure, failureFrom } from '../api/failure.js'
import { curlFor, httpRequestFor, takesVersion } from '../api/http-request.js'
import { callTagged, type Tagged } from '../api/tagged.js'
import { sentence } from '../api/words.js'
import { useServiceUrl } from '../session/session-context.js'
import { Button } from './button.js'
import { type Change, ChangeTable, ConflictTable } from './change-table.js'
import { CopyButton } from './copy-button.js'
import { Dialog, DialogFoot } from './dialog.js'
import { FailureBox } from './states.js'
import { announce } from './toast.js'

/** The object that a write is made on, as it was read. */
export interface WriteSubject<Answer> {
  readonly tagged: Tagged<Answer>
  /** Reads it again, after somebody else has changed it. */
  readonly read: () => Promise<Tagged<Answer>>
}

export interface WriteDialogProps<I extends DescMessage, O extends DescMessage, Answer> {
  readonly title: string
  readonly method: DescMethodUnary<I, O>
  readonly input: MessageInitShape<I>
  /** What the write changes, given what was read; without a subject the argument is undefined. With no change it cannot be sent. */
  readonly changes: (answer: Answer | undefined) => readonly Change[]
  /** What it is made on: nothing, if nothing is there yet. Absent for a method that takes no version. */
  readonly subject?: WriteSubject<Answer> | 'nothing' | undefined
  readonly confirm: string
  readonly isDangerous?: boolean
  /** It follows a form, whose work is not lost without a question. */
  readonly isTyped?: boolean
  /** What is said once it is done. Default: what the title says. */
  readonly said?: (answer: MessageShape<O>) => string
  readonly children?: ReactNode
  readonly onClose: () => void
  /** What it begins is waited for before anything is read again. */
  readonly onDone: (answer: MessageShape<O>) => unknown
  /** Takes what the service refuses of the fields of the form before. */
  readonly onFaults?: (faults: Failure['faults']) => void
}

/**
 * Shows what a write changes before it is sent, with `If-Match` and an `Idempotency-Key`, or copied as a command. If
 * somebody else has changed the object meanwhile, both versions stand side by side. Throws if the method takes a version
 * and no subject is given.
 */
export function WriteDialog<I extends DescMessage, O extends DescMessage, Answer>(
  props: WriteDialogProps<I, O, Answer>,
) {
  const { title, method, input, changes, confirm, isDangerous, isTyped, children, onClose, onDone } = props
  if (props.subject === undefined && takesVersion(method)) throw new Error(`${method.name} is made on something`)
  const subject = props.subject === 'nothing' ? undefined : props.subject
  const transport = useTransport()
  const queries = useQueryClient()
  const baseUrl = useServiceUrl()
  const [base, setBase] = useState(subject?.tagged)
  const [newest, setNewest] = useState<Tagged<Answer>>()
  const [key, setKey] = useState(newKey)
  const [isSaved, setSaved] = useState(false)
  const version = takesVersion(method) ? base?.etag : undefined
  const headers = { ...(version !== undefined && { 'If-Match': version }), 'Idempotency-Key': key }
  const write = useMutation({
    mutationFn: () => callTagged(transport, method, input, headers),
    onSuccess: ({ message }) => {
      // What was typed is saved before anything leads elsewhere.
      flushSync(() => setSaved(true))
      announce(props.said?.(message) ?? doneText(title, confirm))
      // What is gone is left before the others are read again.
      void Promise.resolve(onDone(message)).then(() => queries.invalidateQueries())
    },
    onError: (error) => {
      const failure = failureFrom(error)
      if (failure.kind === 'conflict') void subject?.read().then(setNewest, () => {})
      else props.onFaults?.(failure.faults.length > 0 ? failure.faults : takenFaults(failure))
    },
  })
  const goOn = () => {
    setBase(newest)
    setNewest(undefined)
    setKey(newKey())
    write.reset()
  }
  const changed = changes(base?.message)
  const command = () => curlFor(httpRequestFor(method, create(method.input, input)), baseUrl, headers)
  return (
    <Dialog title={title} onClose={onClose} isTyped={isTyped === true && !isSaved}>
      {children}
      {newest === undefined ? (
        <ChangeTable changes={changed} />
      ) : (
        <ConflictTable before={changed} now={changes(newest.message)} />
      )}
      {write.error && newest === undefined && <FailureBox error={write.error} />}
      <DialogFoot apart={<CopyButton text={command}>Copy as curl</CopyButton>}>
        <Button onClick={onClose}>{isTyped ? 'Back' : 'Cancel'}</Button>
        {newest === undefined ? (
          <Button
            look={isDangerous ? 'danger' : 'main'}
            onClick={() => write.mutate()}
            why={write.isPending ? 'It is being sent.' : changed.length === 0 ? 'Nothing is changed yet.' : undefined}
          >
            {confirm}
          </Button>
        ) : (
          <Button look="main" onClick={goOn}>
            Go on from the newest version
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}

/** The field whose value somebody else has: `EXTERNAL_ID_TAKEN` is about `external_id`. */
function takenFaults({ reason = '', message: description }: Failure): Failure['faults'] {
  const [, field] = /^(.+)_TAKEN$/.exec(reason) ?? []
  return field === undefined ? [] : [{ field: field.toLowerCase(), description, reason }]
}

/** `Create an app` becomes `App created.`, and `Rotate Reports` `Reports rotated.` */
function doneText(title: string, confirm: string): string {
  if (confirm === 'Save') return 'Saved.'
  const [, verb = '', article, thing = ''] = /^(\w+) (an? |the )?(.+)$/.exec(title) ?? []
  return `${article ? sentence(thing) : thing} ${verb.toLowerCase()}${verb.endsWith('e') ? 'd' : 'ed'}.`
}

/** A key that no other write has. Works without TLS too, where `randomUUID` is absent. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
