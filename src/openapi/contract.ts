import { createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { stringify } from 'yaml'
import { errorsPage } from './errors-page.js'
import type { ExampleAnswers } from './example-answers.js'
import { errorReasons, openApiDocument } from './openapi-document.js'
import { permissionsPage } from './permissions-page.js'
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
  const set = fromBinary(FileDescriptorSetSchema, image)
  const registry = createFileRegistry(set)
  const services = [...registry]
    .filter((type): type is DescService => type.kind === 'service' && type.file.proto.package === API_PACKAGE)
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
  const comments = createSourceComments(set.file.filter((file) => file.package === API_PACKAGE))
  const whole = openApiDocument({ registry, services, comments, version, answers })
  const documents = { openapi: whole, revoke: revokeDocument(whole), scim: scimDocument(version, scimAnswers) }
  return new Map([
    ...Object.entries(documents).flatMap(([name, document]): [string, string][] => [
      [`gen/openapi/${name}.json`, jsonText(document)],
      [`gen/openapi/${name}.yaml`, stringify(document, { aliasDuplicateObjects: false })],
    ]),
    ['docs/permissions.md', permissionsPage(services)],
    ['docs/errors.md', errorsPage(errorReasons(registry), comments)],
  ])
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
