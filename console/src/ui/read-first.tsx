import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { ReactNode } from 'react'
import { failureFrom } from '../api/failure.js'
import { useTagged } from '../api/tagged.js'
import { Dialog } from './dialog.js'
import { FailureBox, Skeleton } from './states.js'
import type { WriteSubject } from './write-dialog.js'

interface ReadFirstProps<I extends DescMessage, O extends DescMessage> {
  /** The title of the dialog as long as nothing is read. */
  readonly title: string
  readonly method: DescMethodUnary<I, O>
  readonly input: MessageInitShape<I>
  /** Whether the write makes the object if there is none. */
  readonly mayBeMissing?: boolean
  readonly onClose: () => void
  /** The dialog of the write. */
  readonly children: (subject: WriteSubject<MessageShape<O>> | 'nothing') => ReactNode
}

/** Reads an object with its version before a dialog changes it. */
export function ReadFirst<I extends DescMessage, O extends DescMessage>(props: ReadFirstProps<I, O>) {
  const { title, method, input, mayBeMissing = false, onClose, children } = props
  const { data, error, read, refetch } = useTagged(method, input)
  if (data !== undefined) return children({ tagged: data, read })
  if (error && mayBeMissing && failureFrom(error).kind === 'missing') return children('nothing')
  return (
    <Dialog title={title} onClose={onClose}>
      {error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={3} />}
    </Dialog>
  )
}
