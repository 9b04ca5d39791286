import { buildWhatChanged } from './build-what-changed.mjs'

try {
  await buildWhatChanged()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
