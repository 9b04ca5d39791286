import { Link } from '@tanstack/react-router'
import { type Kind, ThingLink } from '../../api/things.js'

/** What events are about, by the type of their target: things with names, and screens of others. */
const kinds: Readonly<Record<string, Kind>> = {
  user: 'people',
  team: 'teams',
  group: 'groups',
  access_policy: 'policies',
  app_instance: 'apps',
  app_resource: 'resources',
  priority: 'priorities',
  entity_type: 'entity-types',
  entity_ingestion_config: 'ingestion',
}
const screens: Readonly<Record<string, readonly [path: string, text: string]>> = {
  api_key: ['keys', 'an API key'],
  journey: ['journeys', 'a journey'],
  sla_definition: ['slas', 'an SLA'],
  entity_field_mapping: ['mappings', 'a field mapping'],
  webhook_endpoint: ['webhooks', 'a webhook'],
}

interface TargetLinkProps {
  readonly type: string
  readonly id: string
}

/** A link to what an event is about, by its name where it has one. */
export function TargetLink({ type, id }: TargetLinkProps) {
  const kind = kinds[type]
  if (kind !== undefined) return <ThingLink kind={kind} id={id} />
  const [path, text] = screens[type] ?? []
  if (path === undefined) return <code>{id}</code>
  return (
    <Link to={`/${path}/${encodeURIComponent(id)}`} title={id}>
      {text}
    </Link>
  )
}
