import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const macOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** Starts a headless Chromium: the one in `CHROMIUM_PATH`, or an installed one. Throws if there is none. */
export function launchBrowser(): Promise<Browser> {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  const executablePath = CHROMIUM_PATH || installed(PATH.split(delimiter))
  if (executablePath === undefined) {
    throw new Error('no Chromium here: run scripts/install-chromium.sh, or set CHROMIUM_PATH to one')
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

function installed(folders: readonly string[]): string | undefined {
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), macOS].find((path) =>
    existsSync(path),
  )
}
