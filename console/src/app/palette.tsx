import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { oneOf } from '../api/words.js'
import { Dialog } from '../ui/dialog.js'
import { hasText, unlistedResources, useNamedThings } from './named-things.js'
import { destinations } from './navigation.js'
import styles from './palette.module.css'

interface Hit {
  readonly kind: string
  readonly title: string
  readonly detail: string
  readonly path: string
}

const MAX_HITS = 8
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const ID = /^[\w.~:-]{1,128}$/
/** The ids of keys name their organization. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w.~-]+$/i

/** Opens a screen, a person by name or address, another thing by name, or anything by its id. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const hits = useHits(text.trim())
  const open = (hit: Hit) => {
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
        onValueChange={setText}
        itemToStringValue={(hit: Hit) => hit.title}
        filter={null}
        autoHighlight="always"
      >
        <Autocomplete.Input
          className={styles['input']}
          placeholder="A screen, a name, an address or an id"
          aria-label="Find anything"
        />
        <Autocomplete.Empty className={styles['none']}>Nothing has this name or id.</Autocomplete.Empty>
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

function useHits(text: string): Hit[] {
  const why = useWhyNot(UserService.method.listUsers)
  const isAsked = why === undefined && text !== ''
  const people = useQuery(
    UserService.method.listUsers,
    { q: text, pageSize: MAX_HITS, includeDeactivated: true },
    { enabled: isAsked },
  )
  const { things, isAnswered } = useNamedThings(text)
  const persons = (isAsked ? (people.data?.data ?? []) : []).map(({ id, name, email }) =>
    hitOf('person', 'people', id, name || email, email),
  )
  const screens = destinations
    .flatMap(({ items }) => items)
    .filter(({ title }) => hasText(title, text))
    .map(({ path, title }) => ({ kind: 'Screen', title, detail: '', path }))
  const others = things.slice(0, MAX_HITS).map(({ path, one, id, name }) => hitOf(one, path, id, name, id))
  const found = [...persons, ...others]
  // A word alone is an id only if it is no name.
  const isWord = /^[A-Za-z]+$/.test(text)
  const isNamed = found.length + screens.length > 0 || !isAnswered || people.isFetching
  const guessed = isWord && isNamed ? [] : byId(text).filter(({ path }) => found.every((hit) => hit.path !== path))
  return [...found, ...guessed, ...screens]
}

function hitOf(one: string, folder: string, id: string, title: string, detail: string): Hit {
  return {
    kind: one.charAt(0).toUpperCase() + one.slice(1),
    title,
    detail,
    path: `/${folder}/${encodeURIComponent(id)}`,
  }
}

/** Screens that an id could belong to: ids say nothing about what they are of, except by their form. */
function byId(id: string): Hit[] {
  const hit = (one: string, folder: string) => hitOf(one, folder, id, id, `Open as ${oneOf(one)}`)
  if (KEY.test(id)) return [hit('key', 'keys')]
  if (UUID.test(id)) return [hit('journey', 'journeys'), hit('key', 'keys'), hit('person', 'people'), ...unlisted(hit)]
  if (!ID.test(id)) return []
  return [hit('person', 'people'), hit('key', 'keys'), ...unlisted(hit)]
}

function unlisted(hit: (one: string, folder: string) => Hit): Hit[] {
  return unlistedResources.map(({ one, path }) => hit(one, path))
}
