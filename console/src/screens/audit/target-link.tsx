import { Link } from '@tanstack/react-router'
import { type Kind, useThingName } from '../../api/things.js'
import { oneOf, thingText } from '../../api/words.js'

/** What events are about, by the type of their target: things with names, and screens of others. */
export const targetKinds: Readonly<Record<string, Kind>> = {
  user: 'people',
  team: 'teams',
  group: 'groups',
  access_policy: 'policies',
  api_key: 'keys',
  app_instance: 'apps',
  app_resource: 'resources',
  journey: 'journeys',
  priority: 'priorities',
  sla_definition: 'slas',
  entity_type: 'entity-types',
  entity_ingestion_config: 'ingestion',
  webhook_endpoint: 'webhooks',
}
const screens: Readonly<Record<string, string>> = { entity_field_mapping: 'mappings' }

interface TargetLinkProps {
  readonly type: string
  readonly id: string
}

/** A link to what an event is about, by its name where it has one. */
export function TargetLink({ type, id }: TargetLinkProps) {
  const kind = targetKinds[type]
  const name = useThingName(kind ?? 'people', kind ? id : '', 'few')
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
