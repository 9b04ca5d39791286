import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../scripts/install-generators.sh')

/**
 * Installs what `test/generators/package-lock.json` names, unless it is installed already. Users of the service do not
 * need it, so `npm ci` leaves it out. Throws with npm's output if the registry cannot be reached.
 */
export async function installGenerators(): Promise<void> {
  await promisify(execFile)('bash', [script]).catch((error: unknown) => {
    throw new Error(`npm cannot install test/generators from its registry: ${Object(error).stderr}`, { cause: error })
  })
}
