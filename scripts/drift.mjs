// Fails if prisma/migrations do not result in prisma/schema.prisma: replays them in a temporary database and compares.
// Prisma does not see triggers, functions, checks and indexes on expressions. Needs `npm run build`.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../dist/src/db/embedded/embedded-postgres.js'
import { resolvePlace } from '../dist/src/db/embedded/place.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const dataDir = join(tmpdir(), `svc-drift-${randomUUID()}`)
const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } })
try {
  const compare = ['migrate', 'diff', '--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma']
  const prisma = spawn(
    process.execPath,
    [join(root, 'node_modules/prisma/build/index.js'), ...compare, '--exit-code'],
    {
      cwd: root,
      env: { ...process.env, DATABASE_URL: server.connectionString },
      stdio: 'inherit',
    },
  )
  const [status] = await once(prisma, 'exit')
  if (status === 2) console.error('prisma/migrations do not give prisma/schema.prisma: add a migration')
  process.exitCode = status ?? 1
} finally {
  await server.stop()
  const { directory, socketDirectory } = resolvePlace(dataDir)
  for (const path of [directory, socketDirectory, dataDir]) rmSync(path, { recursive: true, force: true })
}
