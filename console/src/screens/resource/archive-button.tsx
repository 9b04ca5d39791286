import type { Message } from '@bufbuild/protobuf'
import { useState } from 'react'
import { useWhyNot } from '../../api/caller-context.js'
import { Button } from '../../ui/button.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { memberOf, nameOf, type ResourceDeclaration, teamOf } from './declaration.js'
import { itemIn } from './resource-form.js'

interface ArchiveButtonProps {
  readonly methods: NonNullable<ResourceDeclaration['archive']>
  readonly id: string
  readonly item: Message
  readonly subject: WriteSubject<Message>
}

/** Takes a thing out of use, or puts one that is archived back. */
export function ArchiveButton({ methods, id, item, subject }: ArchiveButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const isBack = isArchived(item)
  const method = isBack ? methods.end : methods.begin
  const why = useWhyNot(method, { teamId: teamOf(item) })
  const close = () => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)} why={why}>
        {isBack ? 'Put back in use' : 'Archive'}
      </Button>
      {isOpen && (
        <WriteDialog
          title={isBack ? `Put ${nameOf(item)} back in use` : `Archive ${nameOf(item)}`}
          method={method}
          input={{ id } as Record<string, unknown>}
          subject={subject}
          changes={(answer) => [
            { label: 'State', from: stateText(isArchived(answer && itemIn(answer))), to: stateText(!isBack) },
          ]}
          confirm={isBack ? 'Put back' : 'Archive'}
          onClose={close}
          onDone={close}
        />
      )}
    </>
  )
}

function isArchived(item: Message | undefined): boolean {
  return item !== undefined && memberOf(item, 'archivedAt') !== undefined
}

function stateText(archived: boolean): string {
  return archived ? 'Archived' : 'In use'
}
