import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '../generators')
/** The digest of the lockfile that is installed. */
const record = join(folder, 'node_modules/.installed')

/**
 * Installs what `test/generators/package-lock.json` names, unless it is installed already. Users of the service do not
 * need it, so `npm ci` leaves it out. Throws with npm's output if the registry cannot be reached.
 */
export async function installGenerators(): Promise<void> {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(record) && readFileSync(record, 'utf8') === digest) return
  await promisify(execFile)('npm', ['ci', '--prefer-offline'], { cwd: folder }).catch((error: unknown) => {
    throw new Error(`npm cannot install ${folder} from its registry: ${Object(error).stderr}`, { cause: error })
  })
  writeFileSync(record, digest)
}
