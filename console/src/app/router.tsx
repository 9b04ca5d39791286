import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { peopleRequest } from '../screens/people/people-request.js'
import { parseSearch, type Search, stringifySearch } from '../ui/address.js'
import { NoScreen } from '../ui/screen.js'
import { Shell } from './shell.js'

/** Each address below the path of the console, and its screen, which is loaded when it is first shown. */
const screens = [
  ['/', lazyRouteComponent(() => import('../screens/overview/overview-screen.js'), 'OverviewScreen')],
  ['/people/changes', lazyRouteComponent(() => import('../screens/bulk/bulk-screen.js'), 'BulkScreen')],
  ['/people/$id', lazyRouteComponent(() => import('../screens/person/person-screen.js'), 'PersonScreen')],
  ['/journeys', lazyRouteComponent(() => import('../screens/journeys/journeys-screen.js'), 'JourneysScreen')],
  ['/journeys/$id', lazyRouteComponent(() => import('../screens/journeys/journey-screen.js'), 'JourneyScreen')],
  ['/keys', lazyRouteComponent(() => import('../screens/keys/keys-screen.js'), 'KeysScreen')],
  ['/keys/$id', lazyRouteComponent(() => import('../screens/keys/key-screen.js'), 'KeyScreen')],
  ['/directory', lazyRouteComponent(() => import('../screens/directory-screen.js'), 'DirectoryScreen')],
  ['/events', lazyRouteComponent(() => import('../screens/events-screen.js'), 'EventsScreen')],
  ['/$resource', lazyRouteComponent(() => import('../screens/resource/resource-screen.js'), 'ResourceScreen')],
  ['/$resource/$id', lazyRouteComponent(() => import('../screens/resource/resource-screen.js'), 'ResourceScreen')],
  ['/$', NoScreen],
  ['/audit', lazyRouteComponent(() => import('../screens/audit/audit-screen.js'), 'AuditScreen')],
] as const

/** Asks for the first page of a list before the screen that shows it is there. */
type Prefetch = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
) => void

/** The router of a console at a path, such as `/console`. */
export function createConsoleRouter(basepath: string, prefetch: Prefetch) {
  const root = createRootRoute()
  const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: Shell })
  const leakedKey = createRoute({
    getParentRoute: () => root,
    path: '/leaked-key',
    component: lazyRouteComponent(() => import('../screens/leaked-key-screen.js'), 'LeakedKeyScreen'),
  })
  const people = createRoute({
    getParentRoute: () => signedIn,
    path: '/people',
    component: lazyRouteComponent(() => import('../screens/people/people-screen.js'), 'PeopleScreen'),
    loader: ({ location }) => prefetch(UserService.method.listUsers, peopleRequest(location.search as Search)),
  })
  const others = screens.map(([path, component]) => createRoute({ getParentRoute: () => signedIn, path, component }))
  return createRouter({
    routeTree: root.addChildren([signedIn.addChildren([people, ...others]), leakedKey]),
    basepath,
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
  })
}
