import type { Message } from '@bufbuild/protobuf'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { WebhookEndpointStatus, WebhookEndpointStatusSchema } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { useTagged } from '../../api/tagged.js'
import { ThingLink } from '../../api/things.js'
import { enumText, sentence as sentenceOf } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import { Panel, Screen } from '../../ui/screen.js'
import styles from '../../ui/screen.module.css'
import { FailureBox, Loading } from '../../ui/states.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { ArchiveButton } from './archive-button.js'
import { itemOf, memberOf, nameOf, type ResourceDeclaration, teamOf } from './declaration.js'
import { draftAt } from './field-draft.js'
import { MessageFacts } from './field-value.js'
import { itemIn, ResourceForm } from './resource-form.js'

/** What the head of the screen has. */
const shownAbove: readonly string[] = ['id', 'name', 'teamId', 'directoryManaged', 'status']

interface ResourceDetailProps {
  readonly declaration: ResourceDeclaration
  readonly id: string
}

/** One thing of a resource: its fields, what belongs to it, and what can be done with it. */
export function ResourceDetail({ declaration, id }: ResourceDetailProps) {
  const { path, title, one, get, Parts, sentence } = declaration
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
  if (item === undefined || data === undefined) return <Loading />
  const name = nameOf(item)
  // What is said by the title is not said again.
  const without = [
    ...shownAbove,
    ...(sentence ? (sentence.said ?? sentence.fields) : []),
    ...itemOf(get)
      .fields.map(({ localName }) => localName)
      .filter((field) => memberOf(item, field) === name),
  ]
  const text = (field: string) => draftAt(itemOf(get), field, item)
  return (
    <Screen
      title={name}
      id={id}
      above={above}
      meta={<Meta item={item} one={one} />}
      actions={<Actions declaration={declaration} id={id} item={item} subject={{ tagged: data, read }} />}
    >
      {sentence && (
        <Panel title={sentence.title}>
          <p className={styles['said']}>
            <sentence.Sentence text={text} slot={(label, name) => ({ label, value: text(name) })} />.
          </p>
        </Panel>
      )}
      {itemOf(get).fields.some(({ localName }) => !without.includes(localName)) && (
        <Panel title="About">
          <MessageFacts schema={itemOf(get)} message={item} without={without} />
        </Panel>
      )}
      {Parts && <Parts id={id} item={item} />}
    </Screen>
  )
}

/** What matters of a thing, below its name: what it is, and whose. */
function Meta({ item, one }: { readonly item: Message; readonly one: string }) {
  const teamId = teamOf(item)
  const status = memberOf(item, 'status')
  return (
    <>
      <span>
        {sentenceOf(one)}
        {teamId !== undefined && (
          <>
            {' '}
            of <ThingLink kind="teams" id={teamId} />
          </>
        )}
      </span>
      {memberOf(item, 'archivedAt') !== undefined && <Badge tone="warn">Archived</Badge>}
      {memberOf(item, 'directoryManaged') === true && <Badge tone="accent">From the directory</Badge>}
      {status !== undefined && (
        <Badge tone={status === WebhookEndpointStatus.ENABLED ? 'good' : 'warn'}>
          {enumText(WebhookEndpointStatusSchema, Number(status))}
        </Badge>
      )}
      {memberOf(item, 'failingSince') !== undefined && <Badge tone="bad">Failing</Badge>}
      {memberOf(item, 'enabled') === false && <Badge tone="warn">Off</Badge>}
    </>
  )
}

interface ActionsProps extends ResourceDetailProps {
  readonly item: Message
  readonly subject: WriteSubject<Message>
}

function Actions({ declaration, id, item, subject }: ActionsProps) {
  const { path, one, update, remove, archive, Actions: Own } = declaration
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
      {Own && <Own id={id} item={item} />}
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
