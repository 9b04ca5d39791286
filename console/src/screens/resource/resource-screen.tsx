import type { Message } from '@bufbuild/protobuf'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWhyNot } from '../../api/caller-context.js'
import { idOf, memberOf, nameOf, teamOf } from '../../api/message.js'
import { itemOf } from '../../api/standard-methods.js'
import { ThingLink } from '../../api/things.js'
import { countText, labelOf, sentence as sentenceOf } from '../../api/words.js'
import { Badge, Button, Toolbar } from '../../ui/button.js'
import { draftAt } from '../../ui/field-draft.js'
import { Facts, NoScreen, Panel, Screen } from '../../ui/screen.js'
import styles from '../../ui/screen.module.css'
import { ThingScreen } from '../../ui/thing-screen.js'
import { WriteButton } from '../../ui/write-button.js'
import type { WriteSubject } from '../../ui/write-dialog.js'
import { entryOf, type PartProps, type ResourceDeclaration } from './declaration.js'
import { declarationAt } from './declarations.js'
import { FieldValue } from './field-value.js'
import { MemberPanel, useSearchedPages } from './member-panel.js'
import { itemIn, ResourceForm, Said } from './resource-form.js'
import { columnsOf, ResourceList, useOwnerTeam } from './resource-list.js'

/** What the head of the screen has. */
const shownAbove: readonly string[] = ['id', 'name', 'teamId', 'directoryManaged', 'status', 'memberCount']

/** One thing of a resource: its fields, what belongs to it, and what can be done with it. */
export function ResourceDetail({ declaration }: Pick<ThingProps, 'declaration'>) {
  return (
    <ThingScreen {...declaration} method={declaration.get}>
      {(answer, subject, above) => {
        const item = itemIn(answer)
        return item && <Thing declaration={declaration} item={item} subject={subject} above={above} />
      }}
    </ThingScreen>
  )
}

interface ThingProps {
  readonly declaration: ResourceDeclaration
  readonly item: Message
  readonly subject: WriteSubject<Message>
}

function Thing({ declaration, item, subject, above }: ThingProps & { readonly above: ReactNode }) {
  const { get, related, Parts, sentence } = declaration
  const name = nameOf(item)
  // What is said by the title is not said again.
  const without = [
    ...shownAbove,
    ...(sentence ? (sentence.said ?? sentence.fields) : []),
    ...itemOf(get)
      .fields.map(({ localName }) => localName)
      .filter((field) => memberOf(item, field) === name),
  ]
  const fields = itemOf(get).fields.filter(
    ({ localName: field }) =>
      !without.includes(field) &&
      // What has not come yet is left out, as the service leaves it out.
      memberOf(item, field) !== undefined &&
      // A name stands for the id beside it, and that for the name where there is none.
      !(field.endsWith('Id') && memberOf(item, field.replace(/Id$/, 'Name'))) &&
      !(memberOf(item, field) === '' && memberOf(item, field.replace(/Name$/, 'Id'))),
  )
  return (
    <Screen
      title={name}
      id={idOf(item)}
      above={above}
      meta={<Meta item={item} declaration={declaration} />}
      actions={<Actions declaration={declaration} item={item} subject={subject} />}
    >
      {sentence && (
        <Panel title={sentence.title}>
          <p className={styles['said']}>
            <Said {...sentence} text={(field) => draftAt(itemOf(get), field, item)} />.
          </p>
        </Panel>
      )}
      {fields.length > 0 && (
        <Panel title="About">
          <Facts
            facts={Object.fromEntries(
              fields.map((field) => [
                labelOf(field.localName),
                <FieldValue key={field.localName} field={field} item={item} />,
              ]),
            )}
          />
        </Panel>
      )}
      {related && <RelatedPanel {...related} id={idOf(item)} />}
      {Parts && <Parts id={idOf(item)} item={item} subject={subject} />}
    </Screen>
  )
}

/** What matters of a thing, below its name: what it is, and whose. */
function Meta({ item, declaration: { one, get } }: Omit<ThingProps, 'subject'>) {
  const teamId = teamOf(item)
  const { status } = itemOf(get).field
  const memberCount = memberOf(item, 'memberCount')
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
      {memberCount !== undefined && <span>{countText(Number(memberCount), 'person', 'people')}</span>}
      {isArchived(item) && <Badge tone="warn">Archived</Badge>}
      {memberOf(item, 'directoryManaged') === true && <Badge tone="accent">From the directory</Badge>}
      {status && <FieldValue field={status} item={item} />}
      {memberOf(item, 'enabled') === false && <Badge tone="warn">Off</Badge>}
    </>
  )
}

function Actions({ declaration, item, subject }: ThingProps) {
  const { path, one, update, remove, archive, Actions: Own } = declaration
  const [isEditing, setEditing] = useState(false)
  const navigate = useNavigate()
  const ofOwner = useOwnerTeam(declaration, item)
  const about = { teamId: path === 'teams' ? idOf(item) : (teamOf(item) ?? ofOwner) }
  const whyNotEdit = useWhyNot(update, about)
  const whyNotRemove = useWhyNot(remove ?? update, about)
  const close = () => setEditing(false)
  const common = { input: { id: idOf(item) } as Record<string, unknown>, subject }
  const isBack = isArchived(item)
  return (
    <Toolbar>
      {remove && (
        <WriteButton
          {...common}
          title={`Delete ${nameOf(item)}`}
          method={remove}
          changes={() => [{ label: `This ${one}`, from: nameOf(item), to: 'Deleted for good' }]}
          confirm="Delete"
          isDangerous
          why={whyNotRemove}
          onDone={() => navigate({ to: `/${path}` })}
        >
          <p>It cannot be deleted while something refers to it; you are told what.</p>
        </WriteButton>
      )}
      {Own && <Own id={idOf(item)} item={item} subject={subject} />}
      {archive && (
        <WriteButton
          {...common}
          text={isBack ? 'Put back in use' : 'Archive'}
          title={isBack ? `Put ${nameOf(item)} back in use` : `Archive ${nameOf(item)}`}
          method={isBack ? archive.end : archive.begin}
          changes={(answer: Message | undefined) => [
            { label: 'State', from: stateText(isArchived(answer && itemIn(answer))), to: stateText(!isBack) },
          ]}
          confirm={isBack ? 'Put back' : 'Archive'}
          said={() => `${nameOf(item)} is ${isBack ? 'back in use' : 'archived'}.`}
          why={whyNotEdit}
        />
      )}
      <Button look="main" onClick={() => setEditing(true)} why={whyNotEdit}>
        Edit
      </Button>
      {isEditing && <ResourceForm declaration={declaration} subject={subject} onClose={close} onDone={close} />}
    </Toolbar>
  )
}

function isArchived(item: Message | undefined): boolean {
  return item !== undefined && memberOf(item, 'archivedAt') !== undefined
}

const stateText = (archived: boolean): string => (archived ? 'Archived' : 'In use')

/** What of another resource belongs to a thing. Throws for an unknown path. */
function RelatedPanel({ path, by, id }: NonNullable<ResourceDeclaration['related']> & Pick<PartProps, 'id'>) {
  const declaration = declarationAt(path)
  if (declaration === undefined) throw new Error(`nothing is at ${path}`)
  const { title, list, update, columns, empty } = declaration
  const narrowed = { [by]: id } as Record<string, never>
  return (
    <MemberPanel
      title={title}
      pages={useSearchedPages(list, narrowed)}
      add={
        <Link to={`/${path}`} search={narrowed}>
          {entryOf(update).list ? 'Edit as a table' : 'Create and change'}
        </Link>
      }
      columns={columnsOf({ ...declaration, columns: columns.filter((name) => name !== by) })}
      keyOf={idOf}
      empty={empty}
      emptyTitle="None yet"
    />
  )
}

/** The screen of a resource, or of one thing of it, by what the address says. */
export function ResourceScreen() {
  const { resource = '', id }: { resource?: string; id?: string } = useParams({ strict: false })
  const declaration = declarationAt(resource)
  if (declaration === undefined) return <NoScreen />
  if (id === undefined) return <ResourceList key={resource} declaration={declaration} />
  return <ResourceDetail key={resource} declaration={declaration} />
}
