import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { resolvePlace } from '../src/db/embedded/place.js'
import { stopPostmaster } from '../src/db/embedded/postmaster.js'

/** Stops the server of a data directory, even if it is in use, and deletes its data. */
export async function removeEmbeddedPostgres(dataDir: string): Promise<void> {
  const { dataDirectory, directory, socketDirectory } = resolvePlace(dataDir)
  await stopPostmaster(dataDirectory)
  for (const path of [directory, socketDirectory, join(dataDir, 'postgres')]) {
    rmSync(path, { recursive: true, force: true })
  }
}
