import type { Message } from '@bufbuild/protobuf'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWhyNot } from '../../api/caller-context.js'
import { useTagged } from '../../api/tagged.js'
import { Button, Toolbar } from '../../ui/button.js'
import { Panel, Screen } from '../../ui/screen.js'
import { FailureBox, Skeleton } from '../../ui/states.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { ArchiveButton } from './archive-button.js'
import { itemOf, nameOf, type ResourceDeclaration, teamOf } from './declaration.js'
import { MessageFacts } from './field-value.js'
import { itemIn, ResourceForm } from './resource-form.js'

interface ResourceDetailProps {
  readonly declaration: ResourceDeclaration
  readonly id: string
}

/** One thing of a resource: its fields, what belongs to it, and what can be done with it. */
export function ResourceDetail({ declaration, id }: ResourceDetailProps) {
  const { path, title, one, get, Parts } = declaration
  const { data, error, read, refetch } = useTagged(get, { id })
  const item = data && itemIn(data.message)
  const above = <Link to={`/${path}`}>{title}</Link>
  if (error && item === undefined) {
    return (
      <Screen title={one} above={above}>
        <FailureBox error={error} onRetry={() => void refetch()} />
      </Screen>
    )
  }
  if (item === undefined || data === undefined) return <Skeleton />
  return (
    <Screen
      title={nameOf(item)}
      above={above}
      actions={<Actions declaration={declaration} id={id} item={item} subject={{ tagged: data, read }} />}
    >
      <Panel title="Fields">
        <MessageFacts schema={itemOf(get)} message={item} />
      </Panel>
      {Parts && <Parts id={id} item={item} />}
    </Screen>
  )
}

interface ActionsProps extends ResourceDetailProps {
  readonly item: Message
  readonly subject: WriteSubject<Message>
}

function Actions({ declaration, id, item, subject }: ActionsProps) {
  const { path, one, update, remove, archive } = declaration
  const [open, setOpen] = useState<'edit' | 'remove'>()
  const navigate = useNavigate()
  const team = { teamId: teamOf(item) }
  const whyNotEdit = useWhyNot(update, team)
  const whyNotRemove = useWhyNot(remove ?? update, team)
  const close = () => setOpen(undefined)
  return (
    <Toolbar>
      {remove && (
        <Button look="danger" onClick={() => setOpen('remove')} why={whyNotRemove}>
          Delete
        </Button>
      )}
      {archive && <ArchiveButton methods={archive} id={id} item={item} subject={subject} />}
      <Button look="main" onClick={() => setOpen('edit')} why={whyNotEdit}>
        Edit
      </Button>
      {open === 'edit' && <ResourceForm declaration={declaration} subject={subject} onClose={close} onDone={close} />}
      {open === 'remove' && remove && (
        <WriteDialog
          title={`Delete ${nameOf(item)}`}
          method={remove}
          input={{ id } as Record<string, unknown>}
          subject={subject}
          changes={() => [{ label: `This ${one}`, from: nameOf(item), to: 'Gone, with nothing left of it' }]}
          confirm="Delete"
          isDangerous
          onClose={close}
          onDone={() => void navigate({ to: `/${path}` })}
        >
          <p>It is refused while something refers to it, and says what.</p>
        </WriteDialog>
      )}
    </Toolbar>
  )
}
