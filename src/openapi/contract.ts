import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { stringify } from 'yaml'
import { packageRoot } from '../package.js'
import type { ExampleAnswers } from './example-answers.js'
import { errorsSection, permissionsSection, withSection } from './markdown-sections.js'
import { openApiDocument } from './openapi-document.js'
import { revokeDocument } from './revoke-document.js'
import { scimDocument } from './scim-document.js'
import { createSourceComments } from './source-comments.js'

const API_PACKAGE = 'svc.v2'

/**
 * Everything that is generated from the schema for people and other programs: file names, below the root of the
 * package, and their texts. `image` is a serialized `FileDescriptorSet` with source information, `answers` and
 * `scimAnswers` are recorded responses, for the examples.
 */
export function contractFiles(
  image: Uint8Array,
  version: string,
  answers: ExampleAnswers,
  scimAnswers: ExampleAnswers,
): ReadonlyMap<string, string> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image))
  const services = [...registry]
    .filter((type): type is DescService => type.kind === 'service' && type.file.proto.package === API_PACKAGE)
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
  const comments = createSourceComments(registry, API_PACKAGE)
  const errorReasons = registry.getEnum(`${API_PACKAGE}.ErrorReason`)
  if (errorReasons === undefined) throw new Error('the schema has no enum of error reasons')
  const whole = openApiDocument({ registry, services, errorReasons, comments, version, answers })
  const documents = { openapi: whole, revoke: revokeDocument(whole), scim: scimDocument(version, scimAnswers) }
  return new Map([
    ...Object.entries(documents).flatMap(([name, document]): [string, string][] => [
      [`gen/openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`],
      [`gen/openapi/${name}.yaml`, stringify(document, { aliasDuplicateObjects: false })],
    ]),
    ['docs/permissions.md', withSection(read('docs/permissions.md'), permissionsSection(services))],
    ['docs/errors.md', withSection(read('docs/errors.md'), errorsSection(errorReasons, comments))],
  ])
}

function read(name: string): string {
  return readFileSync(join(packageRoot(), name), 'utf8')
}
