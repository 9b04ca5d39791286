// Preloaded into a program: writes the packages that it has loaded into the file of LOADED_PACKAGES when it ends.
const { writeFileSync } = require('node:fs')

const { LOADED_PACKAGES: file } = process.env
process.on('exit', () => {
  const paths = Object.keys(require.cache)
  const names = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? [])
  writeFileSync(file, JSON.stringify([...new Set(names)].toSorted()))
})
