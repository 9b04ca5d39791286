import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../api/caller-context.js'
import { Dialog } from '../ui/dialog.js'
import { destinations } from './navigation.js'
import styles from './palette.module.css'

interface Hit {
  readonly kind: string
  readonly title: string
  readonly detail: string
  readonly path: string
}

const PEOPLE = 8
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Opens a screen, a person by name or address, or anything by its id. */
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
    { q: text, pageSize: PEOPLE, includeDeactivated: true },
    { enabled: isAsked },
  )
  const screens = destinations
    .flatMap(({ items }) => items)
    .filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
    .map(({ path, title }) => ({ kind: 'Screen', title, detail: '', path }))
  const persons = (isAsked ? (people.data?.data ?? []) : []).map(({ id, name, email }) => ({
    kind: 'Person',
    title: name || email,
    detail: email,
    path: `/people/${encodeURIComponent(id)}`,
  }))
  return [...byId(text), ...persons, ...screens]
}

/** Screens that an id could belong to: ids say nothing about what they are of, except by custom. */
function byId(text: string): Hit[] {
  const hit = (kind: string, folder: string) => ({
    kind,
    title: text,
    detail: `Open as ${kind.toLowerCase()}`,
    path: `/${folder}/${encodeURIComponent(text)}`,
  })
  if (UUID.test(text)) return [hit('Journey', 'journeys'), hit('Key', 'keys'), hit('Person', 'people')]
  return /^[\w.~:-]+_[\w.~:-]+$/.test(text) ? [hit('Person', 'people'), hit('Key', 'keys')] : []
}
