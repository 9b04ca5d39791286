import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/**
 * One script of a program that uses the client, from the current sources. Made in a separate process: the native part
 * of the bundler does not recognize regular expressions and functions of a test file as such.
 */
export async function bundle(entry: string, platform: 'node' | 'browser'): Promise<string> {
  const args = [join(import.meta.dirname, 'rolldown-process.mjs'), entry, platform]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  return stdout
}
