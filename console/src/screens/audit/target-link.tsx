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
  priority: 'priorities',
  sla_definition: 'slas',
  entity_type: 'entity-types',
  entity_ingestion_config: 'ingestion',
  webhook_endpoint: 'webhooks',
}
const screens: Readonly<Record<string, string>> = { journey: 'journeys', entity_field_mapping: 'mappings' }

interface TargetLinkProps {
  readonly type: string
  readonly id: string
}

/** A link to what an event is about, by its name where it has one. */
export function TargetLink(target: TargetLinkProps) {
  const kind = targetKinds[target.type]
  return kind === undefined ? <Unnamed {...target} path={screens[target.type]} /> : <Named {...target} kind={kind} />
}

function Named({ kind, ...target }: TargetLinkProps & { readonly kind: Kind }) {
  const name = useThingName(kind, target.id, 'few')
  return <Unnamed {...target} path={kind} name={name === target.id ? undefined : (name ?? '…')} />
}

function Unnamed({
  type,
  id,
  path,
  name,
}: TargetLinkProps & { readonly path: string | undefined; name?: string | undefined }) {
  const text = name ?? oneOf(thingText(type))
  if (path === undefined) return <span title={id}>{text}</span>
  return (
    <Link to={`/${path}/${encodeURIComponent(id)}`} title={id}>
      {text}
    </Link>
  )
}
