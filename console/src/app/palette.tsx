import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { useCaller, useWhyNot } from '../api/caller-context.js'
import { nameOf } from '../api/message.js'
import { oneOf, sentence } from '../api/words.js'
import { Dialog } from '../ui/dialog.js'
import { hasText, unlistedResources, useNamedThings } from './named-things.js'
import { destinationsFor } from './navigation.js'
import styles from './palette.module.css'

interface Hit {
  readonly kind: string
  readonly title: string
  readonly detail: string
  readonly path: string
}

interface PaletteProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

const MAX_HITS = 8
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const ID = /^[\w.~:-]{1,128}$/
/** The ids of keys name their organization. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w.~-]+$/i

/** Opens a screen, a person by name or address, another thing by name, or anything by its id. */
export function Palette({ text, onText, onClose }: PaletteProps) {
  const [asked, setAsked] = useState<string>()
  const navigate = useNavigate()
  const hits = useHits(text.trim(), asked)
  const open = (hit: Hit) => {
    if (hit.path === '') return setAsked(text.trim())
    onClose()
    void navigate({ to: hit.path })
  }
  return (
    <Dialog title="Find anything" hidesTitle onClose={onClose}>
      <Autocomplete.Root
        inline
        open
        items={hits}
        value={text}
        onValueChange={onText}
        itemToStringValue={(hit: Hit) => hit.title}
        filter={null}
        autoHighlight="always"
      >
        <Autocomplete.Input
          className={styles['input']}
          placeholder="A screen, a name, an email or an ID"
          aria-label="Find anything"
        />
        <Autocomplete.Empty className={styles['none']}>Nothing has this name.</Autocomplete.Empty>
        <Autocomplete.List className={styles['list']}>
          {(hit: Hit) => (
            <Autocomplete.Item key={hit.path} value={hit} className={styles['hit']} onClick={() => open(hit)}>
              <span>{hit.title}</span>
              <span className={styles['detail']}>{hit.detail}</span>
              <span className={styles['kind']}>{hit.kind}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

/** What has a text in its name; of what kinds of things it could be the id is shown where that was asked for. */
function useHits(text: string, asked: string | undefined): Hit[] {
  const caller = useCaller()
  const why = useWhyNot(UserService.method.listUsers)
  const isAsked = why === undefined && text !== ''
  const people = useQuery(
    UserService.method.listUsers,
    { q: text, pageSize: MAX_HITS, includeDeactivated: true },
    { enabled: isAsked },
  )
  const { things, isAnswered } = useNamedThings(text)
  const persons = (isAsked ? (people.data?.data ?? []) : []).map((person) =>
    hitOf('person', 'people', person.id, nameOf(person), person.email),
  )
  const screens = destinationsFor(caller)
    .flatMap(({ items }) => items)
    .filter(({ title }) => hasText(title, text))
    .map(({ path, title }) => ({ kind: 'Screen', title, detail: '', path }))
  const others = things.slice(0, MAX_HITS).map(({ path, one, id, name }) => hitOf(one, path, id, name, id))
  const found = [...persons, ...others]
  const isAsking = !isAnswered || people.isFetching
  const guesses = byId(text).filter(({ path }) => found.every((hit) => hit.path !== path))
  if (KEY.test(text) || UUID.test(text) || asked === text) return [...found, ...guesses, ...screens]
  const isNothing = found.length + screens.length === 0 && guesses.length > 0 && !isAsking
  const question = { kind: '', title: `Open “${text}” as an ID`, detail: 'Choose of what', path: '' }
  return [...found, ...screens, ...(isNothing ? [question] : [])]
}

function hitOf(one: string, folder: string, id: string, title: string, detail: string): Hit {
  return { kind: sentence(one), title, detail, path: `/${folder}/${encodeURIComponent(id)}` }
}

/** Screens that an id could belong to: ids say nothing about what they are of, except by their form. */
function byId(id: string): Hit[] {
  const hit = (one: string, folder: string) => hitOf(one, folder, id, id, `Open as ${oneOf(one)}`)
  if (KEY.test(id)) return [hit('key', 'keys')]
  if (!ID.test(id)) return []
  const unlisted = unlistedResources.map(({ one, path }) => hit(one, path))
  const journey = UUID.test(id) ? [hit('journey', 'journeys')] : []
  return [...journey, hit('key', 'keys'), hit('person', 'people'), ...unlisted]
}
