// Builds the files of a release into dist/release, from the tag that is checked out: npm run release. Without docker,
// podman or buildah, it builds everything but the image, and exits with 1; --no-image leaves the image out.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist/release')
const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
const ask = (program, ...args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim()
const say = (text) => process.stdout.write(`${text}\n`)

class Refusal extends Error {}

/** The version of the tag `v…` of the commit that is checked out, which every file of the repository must have. */
function taggedVersion() {
  const tags = ask('git', 'tag', '--points-at', 'HEAD').split('\n')
  const [version, ...others] = tags.flatMap((tag) => /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1] ?? [])
  if (version === undefined) throw new Refusal('no tag such as v1.2.3 is checked out: git switch --detach v1.2.3')
  if (others.length > 0)
    throw new Refusal(`several versions are tags of this commit: ${[version, ...others].join(', ')}`)
  if (ask('git', 'status', '--porcelain', '--untracked-files=no') !== '') {
    throw new Refusal('files differ from the tag: commit or restore them')
  }
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const found = {
    ...Object.fromEntries(
      ['package.json', 'client/package.json', 'console/package.json', 'src/rest/package.json'].map((path) => [
        path,
        JSON.parse(read(path)).version,
      ]),
    ),
    'deploy/helm/svc/Chart.yaml': /^version: (.+)$/m.exec(read('deploy/helm/svc/Chart.yaml'))?.[1],
    'CHANGELOG.md': read('CHANGELOG.md').includes(`\n## [${version}] - `) ? version : 'no section of it',
  }
  const wrong = Object.entries(found).filter(([, each]) => each !== version)
  if (wrong.length > 0) {
    throw new Refusal(`the tag is v${version}, but ${wrong.map(([path, each]) => `${path} has ${each}`).join(', ')}`)
  }
  return version
}

function makePackages(version) {
  const folder = join(target, 'packages')
  mkdirSync(folder, { recursive: true })
  run('npm', 'run', '--silent', 'build')
  run('npm', 'pack', '--silent', '-w', 'client', '-w', 'src/rest', '--pack-destination', folder)
  const program = join(target, 'package')
  run(process.execPath, 'scripts/pack.mjs', program)
  run('tar', '-czf', join(folder, `svc-admin-svc-${version}.tgz`), '-C', target, 'package')
  rmSync(program, { recursive: true })
  say(`packages of the client, the transcoder and the program with what it needs: ${folder}`)
}

function makeChart(version) {
  const folder = join(target, 'chart')
  mkdirSync(folder)
  run('tar', '-czf', join(folder, `svc-${version}.tgz`), '-C', join(root, 'deploy/helm'), 'svc')
  say(`chart: ${folder}`)
}

function makeImage(version) {
  const builder = ['docker', 'podman', 'buildah'].find(isInstalled)
  const args = ['build', '--file', 'deploy/Dockerfile', '--build-arg', `COMMIT=${ask('git', 'rev-parse', 'HEAD')}`]
  const all = [...args, '--tag', `svc:${version}`, '.']
  if (builder === undefined) {
    throw new Refusal(
      `NO IMAGE was made: there is no docker, podman or buildah here. Where there is one, run\n  docker ${all.join(' ')}`,
    )
  }
  run(builder, ...all)
  say(`image: svc:${version}, made by ${builder}`)
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

try {
  const version = taggedVersion()
  rmSync(target, { recursive: true, force: true })
  makePackages(version)
  makeChart(version)
  if (!process.argv.includes('--no-image')) makeImage(version)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`release: ${error.message}\n`)
  process.exitCode = 1
}
