import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** An empty project in which packages are installed as any user would. */
export interface PackedProject {
  readonly directory: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Runs a program of the checkout, or of the system, in the project and returns its output. */
  run(program: string, ...args: string[]): Promise<string>
  remove(): Promise<void>
}

/**
 * Builds and packs folders of the checkout, installed packages among them, and installs the tarballs into a project of
 * its own: without a network, from an empty cache.
 */
export async function createPackedProject(folders: readonly string[]): Promise<PackedProject> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-packed-'))
  const run = async (program: string, ...args: string[]) => {
    const env = { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter) }
    const call = promisify(execFile)(program, args, { cwd: directory, env })
    const { stdout } = await call.catch((error: Error & { stdout: string }) => {
      throw new Error(`${error.message}${error.stdout}`, { cause: error })
    })
    return stdout
  }
  const quiet = ['--cache', join(directory, '.npm'), '--ignore-scripts', '--offline']
  for (const workspace of folders.filter((folder) => !folder.includes('node_modules'))) {
    await run('npm', 'run', '--silent', '--if-present', 'build', '--prefix', join(root, workspace))
  }
  await mkdir(join(directory, 'tarballs'))
  const paths = folders.map((folder) => join(root, folder))
  const packed: readonly { name: string; filename: string }[] = JSON.parse(
    await run('npm', 'pack', ...paths, '--json', '--pack-destination', 'tarballs', ...quiet),
  )
  const dependencies = Object.fromEntries(packed.map(({ name, filename }) => [name, `file:tarballs/${filename}`]))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  await run('npm', 'install', '--no-audit', '--no-fund', ...quiet)
  return {
    directory,
    run,
    write: async (files) => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
    },
    remove: () => rm(directory, { recursive: true }),
  }
}
