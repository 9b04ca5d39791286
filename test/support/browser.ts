import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Debian and others put Chromium. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Starts a headless Chromium. Throws where none is installed: scripts/install-chromium.sh does that on Debian. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? places.find((place) => existsSync(place))
  if (executablePath === undefined) throw new Error('no Chromium here: run scripts/install-chromium.sh')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
