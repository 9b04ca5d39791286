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
import type { Caller } from '../../../gen/svc/v2/caller_pb.js'
import { UserRole } from '../../../gen/svc/v2/user_pb.js'
import { isOverseer } from '../api/rights.js'

/** A screen that the navigation leads to. */
export interface Destination {
  /** Below the path of the console. */
  readonly path: string
  readonly title: string
  readonly Icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>
  /** The permission without which there is nothing to see on it, or that only administrators see it; absent for all. */
  readonly needs?: string
  /** A permission in a team does not reach it. */
  readonly isOfOrganization?: boolean
}

const ADMINISTRATORS = 'administrators'

/** The navigation, in groups. */
const groups: readonly { readonly title: string; readonly items: readonly Destination[] }[] = [
  {
    title: '',
    items: [
      { path: '/', title: 'Home', Icon: House },
      { path: '/directory', title: 'Directory', Icon: FolderSync, needs: ADMINISTRATORS },
    ],
  },
  {
    title: 'People',
    items: [
      { path: '/people', title: 'People', Icon: Users, needs: 'users:read' },
      { path: '/teams', title: 'Teams', Icon: Network, needs: 'teams:read' },
      { path: '/groups', title: 'Groups', Icon: UsersRound, needs: 'users:read', isOfOrganization: true },
    ],
  },
  {
    title: 'Access',
    items: [
      { path: '/apps', title: 'Apps', Icon: LayoutGrid, needs: 'apps:read' },
      { path: '/resources', title: 'Resources', Icon: Boxes, needs: 'apps:read' },
      { path: '/policies', title: 'Policies', Icon: ShieldCheck, needs: 'access:read' },
    ],
  },
  {
    title: 'Work',
    items: [
      { path: '/journeys', title: 'Journeys', Icon: RouteIcon },
      { path: '/priorities', title: 'Priorities', Icon: Flag, needs: 'tickets:read' },
      { path: '/slas', title: 'SLAs', Icon: Timer, needs: 'tickets:read' },
    ],
  },
  {
    title: 'Data',
    items: [
      { path: '/entity-types', title: 'Entity types', Icon: Shapes, needs: 'entities:read' },
      { path: '/ingestion', title: 'Ingestion', Icon: ArrowDownToLine, needs: 'entities:read' },
      { path: '/mappings', title: 'Field mappings', Icon: GitMerge, needs: 'entities:read' },
    ],
  },
  {
    title: 'Developers',
    items: [
      { path: '/keys', title: 'API keys', Icon: KeyRound, needs: 'keys:read' },
      { path: '/webhooks', title: 'Webhooks', Icon: WebhookIcon, needs: 'webhooks:read' },
      { path: '/events', title: 'Events', Icon: Activity, needs: 'audit:read' },
      { path: '/audit', title: 'Audit log', Icon: ScrollText, needs: 'audit:read' },
    ],
  },
]

/** The screens on which a caller finds something, in groups. */
export function destinationsFor(caller: Caller): typeof groups {
  const everywhere = new Set(caller.permissions)
  const somewhere = new Set([caller, ...caller.teams].flatMap((each) => each.permissions))
  const isAdministrator = caller.role === UserRole.ORG_ADMIN
  const isShown = ({ needs, isOfOrganization }: Destination) =>
    needs === undefined ||
    (needs === ADMINISTRATORS ? isAdministrator : (isOfOrganization ? everywhere : somewhere).has(needs))
  const titled = (item: Destination) =>
    item.path === '/' && isOverseer(caller) ? { ...item, title: 'Overview' } : item
  return groups
    .map(({ title, items }) => ({ title, items: items.filter(isShown).map(titled) }))
    .filter(({ items }) => items.length > 0)
}
