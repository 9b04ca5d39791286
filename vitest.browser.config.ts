import { defineConfig } from 'vitest/config'

/** The tests that need Chromium, which scripts/install-chromium.sh installs on Debian. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
