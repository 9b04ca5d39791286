import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)

/** What a module exports depends on them besides its own text. */
const versions = ['dist/build.json', 'package-lock.json', relative(root, import.meta.filename)].map((name) =>
  readFileSync(join(root, name)),
)

/**
 * A transformer of jest for the program and the packages. In their place, a test file gets the modules that Node itself
 * has loaded, once for all test files of a process, from what the build has made: anew for each file, they took longer
 * than most tests.
 */
export default {
  getCacheKey: (text, path, { supportsDynamicImport, supportsStaticESM }) => {
    const hash = createHash('sha256').update(`${path}\0${supportsDynamicImport}\0${supportsStaticESM}\0${text}`)
    for (const version of versions) hash.update(version)
    return hash.digest('hex')
  },
  process: (text, path, { supportsDynamicImport, supportsStaticESM }) => {
    // What jest itself loads, such as the global set-up, is Node's already.
    if (!supportsDynamicImport) return { code: text }
    const file = builtFile(path)
    const loaded = `loadedByNode(${JSON.stringify(file)})`
    return { code: supportsStaticESM ? reexport(loaded, Object.keys(require(file))) : `module.exports = ${loaded}` }
  },
}

function reexport(loaded, names) {
  const constants = names.map((name, index) => `const $${index} = loaded[${JSON.stringify(name)}]`)
  const exports = names.map((name, index) => `$${index} as ${JSON.stringify(name)}`)
  return [`const loaded = ${loaded}`, ...constants, `export { ${exports.join(', ')} }`].join('\n')
}

/** The file of the build that is made from one of the program's; a package's is itself. */
function builtFile(path) {
  return path.endsWith('.ts') ? join(root, 'dist', relative(root, path).replace(/\.ts$/, '.js')) : path
}
