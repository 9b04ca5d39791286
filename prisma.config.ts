import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// Prisma would download a native engine before any command, even those that do not use it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(new URL('./scripts/schema-engine.mjs', import.meta.url))

// Migrations need a session of their own, which a pooler does not give.
const url = process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL']

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url !== undefined && { datasource: { url } }),
})
