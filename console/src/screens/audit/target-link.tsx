import { Link } from '@tanstack/react-router'
import { useName } from '../../api/names.js'
import { targetKinds } from '../../api/things.js'
import { oneOf, thingText } from '../../api/words.js'

const screens: Readonly<Record<string, string>> = { entity_field_mapping: 'mappings' }

/** A link to what an event is about, by its name where it has one. */
export function TargetLink({ type, id }: { readonly type: string; readonly id: string }) {
  const kind = targetKinds[type]
  const name = useName(type, kind ? id : '')
  const path = kind ?? screens[type]
  // Of some there is nothing but the id, which is no name.
  const text = kind === undefined || name === id ? oneOf(thingText(type)) : (name ?? '…')
  if (path === undefined) return <span title={id}>{text}</span>
  return (
    <Link to={`/${path}/${encodeURIComponent(id)}`} title={id}>
      {text}
    </Link>
  )
}
