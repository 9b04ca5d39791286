import './global-setup.js'

const GRACE_MILLIS = 3_000

/** Removes the databases after the last test file. */
export default async function teardown(): Promise<void> {
  await globalThis.stopTestRun?.()
  // A file that leaves something open has failed; the run ends nevertheless.
  setTimeout(() => process.exit(), GRACE_MILLIS).unref()
}
