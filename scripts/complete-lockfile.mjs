// Adds to the lockfiles the optional packages of other platforms that the current registry does not have. npm leaves
// them out, and `npm ci` then refuses the lockfile. An entry names the platform, so that npm skips it everywhere else.
// Refuses a lockfile that names the host of a registry, because everybody installs from a registry of their own.
import { readFileSync, writeFileSync } from 'node:fs'

const lockfiles = ['package-lock.json', 'test/generators/package-lock.json']
const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32']
const aliases = { windows: 'win32', macos: 'darwin' }
const processors = {
  ...Object.fromEntries(
    ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'].map((cpu) => [cpu, cpu]),
  ),
  aarch64: 'arm64',
  armv7: 'arm',
  gnueabihf: 'arm',
  eabi: 'arm',
  x86: 'ia32',
}

for (const name of lockfiles) {
  const file = new URL(`../${name}`, import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const fromHost = Object.values(lock.packages).find(({ resolved = '' }) => /^\w+:\/\//.test(resolved))
  if (fromHost !== undefined) throw new Error(`${name} names a registry: ${fromHost.resolved}`)
  const added = complete(lock.packages)
  const [root, ...rest] = Object.entries(lock.packages)
  lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))])
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.length === 0 ? `${name} is complete` : `${name}: added ${added.join(', ')}`)
}

/** Adds missing entries to the packages of a lockfile and returns their names. */
function complete(packages) {
  const added = []
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (packages[`node_modules/${name}`] !== undefined || path === '') continue
      const words = name.split(/[/-]/)
      const os = systems.find((system) => words.some((word) => (aliases[word] ?? word) === system))
      const cpu = words.map((word) => processors[word]).find((known) => known !== undefined)
      const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : undefined
      if (os === undefined || cpu === undefined || !/^\d/.test(version)) continue
      packages[`node_modules/${name}`] = {
        version,
        cpu: [cpu],
        ...(dev && { dev }),
        ...(libc && { libc: [libc] }),
        optional: true,
        os: [os],
      }
      added.push(name)
    }
  }
  return added
}
