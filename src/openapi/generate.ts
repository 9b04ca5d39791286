import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { packageRoot, packageVersion } from '../package.js'
import { contractFiles } from './contract.js'

// Reads a FileDescriptorSet from standard input (buf build -o -) and writes the generated files.
const root = packageRoot()
const read = (name: string) => JSON.parse(readFileSync(join(root, 'gen/openapi', name), 'utf8'))
const image = await buffer(process.stdin)
const examples = [read('examples.json'), read('scim-examples.json')] as const
for (const [name, text] of contractFiles(image, packageVersion(root), ...examples)) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), text)
}
