import './global-setup.js'

/** Removes the databases after the last test file. */
export default async function teardown(): Promise<void> {
  await globalThis.stopTestRun?.()
}
