import type { DescMessage, DescMethodUnary } from '@bufbuild/protobuf'
import { useState } from 'react'
import { Button, type ButtonProps } from './button.js'
import { ReadFirst } from './read-first.js'
import { WriteDialog, type WriteDialogProps, type WriteSubject } from './write-dialog.js'

interface WriteButtonProps<I extends DescMessage, O extends DescMessage, Answer>
  extends Omit<WriteDialogProps<I, O, Answer>, 'onClose' | 'onDone'>,
    Pick<ButtonProps, 'look' | 'label' | 'why'> {
  /** The words of the button. Default: what confirms the write. */
  readonly text?: string
  /** How what it is made on is read, with its version, where that is not there yet. */
  readonly first?: {
    readonly method: DescMethodUnary<DescMessage, DescMessage>
    readonly input: Readonly<Record<string, string>>
  }
  readonly onClose?: () => void
  readonly onDone?: WriteDialogProps<I, O, Answer>['onDone']
}

/** A button that writes, after showing what that changes. */
export function WriteButton<I extends DescMessage, O extends DescMessage, Answer>(
  props: WriteButtonProps<I, O, Answer>,
) {
  const { text = props.confirm, look = props.isDangerous ? 'danger' : 'plain', why, first, ...others } = props
  // One of many in a table is read by what it does.
  const { label = look === 'quiet' ? props.title : undefined, ...write } = others
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    write.onClose?.()
  }
  const dialogOn = (subject: typeof props.subject) => (
    <WriteDialog
      {...write}
      subject={subject}
      onClose={close}
      onDone={(answer) => {
        close()
        return write.onDone?.(answer)
      }}
    />
  )
  return (
    <>
      <Button look={look} why={why} onClick={() => setOpen(true)} {...(label !== undefined && { label })}>
        {text}
      </Button>
      {isOpen && first === undefined && dialogOn(write.subject)}
      {isOpen && first !== undefined && (
        <ReadFirst title={write.title} {...first} onClose={close}>
          {(subject) => dialogOn(subject as WriteSubject<Answer> | 'nothing')}
        </ReadFirst>
      )}
    </>
  )
}
