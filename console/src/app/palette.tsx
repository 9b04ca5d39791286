import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { useCaller, useWhyNot } from '../api/caller-context.js'
import { nameOf } from '../api/message.js'
import { type Kind, typeOf } from '../api/things.js'
import { sentence, thingText } from '../api/words.js'
import { Dialog } from '../ui/dialog.js'
import { FailureBox } from '../ui/states.js'
import { hasText, MAX_HITS, useNamedThings } from './named-things.js'
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

/** Opens a screen, a person by name or address, another thing by name, or anything by its id. */
export function Palette({ text, onText, onClose }: PaletteProps) {
  const navigate = useNavigate()
  const { hits, asked } = useHits(text.trim())
  const failed = asked.filter(({ isError }) => isError)
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
        <Autocomplete.Empty className={styles['none']}>
          {asked.some(({ isFetching }) => isFetching) ? 'Searching …' : failed.length === 0 && 'Nothing has this name.'}
        </Autocomplete.Empty>
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
      {failed[0] && <FailureBox error={failed[0].error} onRetry={() => failed.map(({ refetch }) => refetch())} />}
    </Dialog>
  )
}

/** What has a text in its name, or as its id, and what was asked for it. */
function useHits(text: string) {
  const caller = useCaller()
  const why = useWhyNot(UserService.method.listUsers)
  const isAsked = why === undefined && text !== ''
  const people = useQuery(
    UserService.method.listUsers,
    { q: text, pageSize: MAX_HITS, includeDeactivated: true },
    { enabled: isAsked },
  )
  const { things, asked } = useNamedThings(text)
  const persons = (isAsked ? (people.data?.data ?? []) : []).map((person) =>
    hitOf('people', person.id, nameOf(person), person.email),
  )
  const screens = destinationsFor(caller)
    .flatMap(({ items }) => items)
    .filter(({ title }) => hasText(title, text))
    .map(({ path, title }): Hit => ({ kind: 'Screen', title, detail: '', path }))
  const others = things.map(({ path, id, name, team = '' }) => hitOf(path, id, name, team))
  const unlike = others.filter(({ path }) => persons.every((hit) => hit.path !== path))
  return { hits: [...persons, ...unlike, ...screens], asked: [people, ...asked] }
}

function hitOf(kind: Kind, id: string, title: string, detail: string): Hit {
  return { kind: sentence(thingText(typeOf(kind))), title, detail, path: `/${kind}/${encodeURIComponent(id)}` }
}
