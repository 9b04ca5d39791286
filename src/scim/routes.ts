import { discoveryRoutes } from './discovery.js'
import { groupRoutes } from './groups.js'
import { listRoutes } from './lists.js'
import type { ScimRoute } from './request.js'
import { userRoutes } from './users.js'

/** Every operation of the door. */
export const scimRoutes: readonly ScimRoute[] = [...userRoutes, ...groupRoutes, ...listRoutes, ...discoveryRoutes]
