import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { packageRoot, packageVersion } from '../package.js'
import { contractFiles } from './contract.js'

// Reads a FileDescriptorSet from standard input (buf build --as-file-descriptor-set -o -) and writes the generated files.
const root = packageRoot()
const answers = JSON.parse(readFileSync(join(root, 'gen/openapi/examples.json'), 'utf8'))
for (const [name, text] of contractFiles(await buffer(process.stdin), packageVersion(root), answers)) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}
