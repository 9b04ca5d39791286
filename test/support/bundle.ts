import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/**
 * One script of a program that uses the client, from the sources as they stand. Made in a process of its own: the native
 * part of the bundler does not know the regular expressions and functions of a test file for what they are.
 */
export async function bundle(entry: string, platform: 'node' | 'browser'): Promise<string> {
  const args = [join(import.meta.dirname, 'rolldown-process.mjs'), entry, platform]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  return stdout
}
