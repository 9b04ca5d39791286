import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../gen/prisma/client.js'
import { addAccessRoutes } from './models-peer/access.js'
import { addAppRoutes } from './models-peer/apps.js'
import { addEntityRoutes } from './models-peer/entities.js'
import { addRelationshipRoutes } from './models-peer/relationships.js'
import { addRevokeRoute } from './models-peer/revoke.js'
import { addTicketRoutes } from './models-peer/tickets.js'
import { addUserRoutes } from './models-peer/users.js'
import { createPeerApp, servePeer } from './peer-app.js'
import { settings } from './serve.js'

// The peer on Prisma's models, as most would build it instead of the service: Fastify with a schema for each body, and
// all 13 operations on the same tables without SQL. Statements are prepared under names, which the adapter does not do
// of its own.
const { connectionString } = settings<{ connectionString: string }>()
const names = new Map<string, string>()
const statementNameGenerator = ({ sql }: { readonly sql: string }) => {
  const name = names.get(sql) ?? `s${names.size}`
  names.set(sql, name)
  return name
}
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString, max: 10 }, { statementNameGenerator }),
  transactionOptions: { maxWait: 30_000, timeout: 30_000 },
})
const app = createPeerApp()
addRevokeRoute(app, prisma)
addAccessRoutes(app, prisma)
addAppRoutes(app, prisma)
addTicketRoutes(app, prisma)
addEntityRoutes(app, prisma)
addUserRoutes(app, prisma)
addRelationshipRoutes(app, prisma)
await servePeer(app, () => prisma.$disconnect())
