import type { DescMethodUnary } from '@bufbuild/protobuf'
import Activity from 'lucide-react/dist/esm/icons/activity.mjs'
import ArrowDownToLine from 'lucide-react/dist/esm/icons/arrow-down-to-line.mjs'
import Boxes from 'lucide-react/dist/esm/icons/boxes.mjs'
import Flag from 'lucide-react/dist/esm/icons/flag.mjs'
import FolderSync from 'lucide-react/dist/esm/icons/folder-sync.mjs'
import GitMerge from 'lucide-react/dist/esm/icons/git-merge.mjs'
import House from 'lucide-react/dist/esm/icons/house.mjs'
import KeyRound from 'lucide-react/dist/esm/icons/key-round.mjs'
import LayoutGrid from 'lucide-react/dist/esm/icons/layout-grid.mjs'
import Network from 'lucide-react/dist/esm/icons/network.mjs'
import RouteIcon from 'lucide-react/dist/esm/icons/route.mjs'
import ScrollText from 'lucide-react/dist/esm/icons/scroll-text.mjs'
import Shapes from 'lucide-react/dist/esm/icons/shapes.mjs'
import ShieldCheck from 'lucide-react/dist/esm/icons/shield-check.mjs'
import Timer from 'lucide-react/dist/esm/icons/timer.mjs'
import Users from 'lucide-react/dist/esm/icons/users.mjs'
import UsersRound from 'lucide-react/dist/esm/icons/users-round.mjs'
import WebhookIcon from 'lucide-react/dist/esm/icons/webhook.mjs'
import type { ComponentType } from 'react'
import { AuditLogService } from '../../../gen/svc/v2/audit_log_pb.js'
import type { Caller } from '../../../gen/svc/v2/caller_pb.js'
import { DirectoryService } from '../../../gen/svc/v2/directory_pb.js'
import { EventService } from '../../../gen/svc/v2/event_pb.js'
import { isOverseer, whyNot } from '../api/rights.js'
import { type Kind, methodsOf } from '../api/things.js'

/** A screen that the navigation leads to. */
export interface Destination {
  /** Below the path of the console. */
  readonly path: string
  readonly title: string
  readonly Icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>
  /** What it reads, without the right to which there is nothing to see on it. */
  readonly reads?: DescMethodUnary
}

const listOf = (kind: Kind) => ({ path: `/${kind}`, reads: methodsOf(kind).list })

/** The navigation, in groups. */
const groups: Readonly<Record<string, readonly Destination[]>> = {
  '': [
    { path: '/', title: 'Home', Icon: House },
    { path: '/directory', title: 'Directory', Icon: FolderSync, reads: DirectoryService.method.getDirectoryStatus },
  ],
  People: [
    { ...listOf('people'), title: 'People', Icon: Users },
    { ...listOf('teams'), title: 'Teams', Icon: Network },
    { ...listOf('groups'), title: 'Groups', Icon: UsersRound },
  ],
  Access: [
    { ...listOf('apps'), title: 'Apps', Icon: LayoutGrid },
    { ...listOf('resources'), title: 'Resources', Icon: Boxes },
    { ...listOf('policies'), title: 'Policies', Icon: ShieldCheck },
  ],
  Work: [
    { path: '/journeys', title: 'Journeys', Icon: RouteIcon },
    { ...listOf('priorities'), title: 'Priorities', Icon: Flag },
    { ...listOf('slas'), title: 'SLAs', Icon: Timer },
  ],
  Data: [
    { ...listOf('entity-types'), title: 'Entity types', Icon: Shapes },
    { ...listOf('ingestion'), title: 'Ingestion', Icon: ArrowDownToLine },
    { path: '/mappings', title: 'Field mappings', Icon: GitMerge, reads: methodsOf('entity-types').list },
  ],
  Developers: [
    { ...listOf('keys'), title: 'API keys', Icon: KeyRound },
    { ...listOf('webhooks'), title: 'Webhooks', Icon: WebhookIcon },
    { path: '/events', title: 'Events', Icon: Activity, reads: EventService.method.listEvents },
    { path: '/audit', title: 'Audit log', Icon: ScrollText, reads: AuditLogService.method.listAuditEvents },
  ],
}

/** The screens on which a caller finds something, in groups. */
export function destinationsFor(caller: Caller) {
  const isShown = ({ reads }: Destination) => reads === undefined || whyNot(reads, caller) === undefined
  const titled = (item: Destination) =>
    item.path === '/' && isOverseer(caller) ? { ...item, title: 'Overview' } : item
  return Object.entries(groups)
    .map(([title, items]) => ({ title, items: items.filter(isShown).map(titled) }))
    .filter(({ items }) => items.length > 0)
}
