import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf'
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FileDescriptorProto,
  ServiceDescriptorProto,
} from '@bufbuild/protobuf/wkt'

/** The comments of a schema, by fully qualified name; a value of an enum is below the enum (`svc.v2.DataType.DATA_TYPE_TEXT`). */
export type SourceComments = (name: string) => string

// Numbers of the fields that lead to a declaration (google/protobuf/descriptor.proto, SourceCodeInfo.Location.path).
const FILE_MESSAGE = 4
const FILE_ENUM = 5
const FILE_SERVICE = 6
const MESSAGE_FIELD = 2
const MESSAGE_NESTED = 3
const MESSAGE_ENUM = 4
const ENUM_VALUE = 2
const SERVICE_METHOD = 2

/**
 * Reads the leading comments of files that carry source information. Lines of a paragraph are joined, and a name in
 * backticks that is a field's is given as JSON spells it. A declaration without a comment has the empty text.
 */
export function createSourceComments(files: readonly FileDescriptorProto[]): SourceComments {
  const jsonNames = jsonNamesOf(files)
  const comments = new Map<string, string>()
  for (const file of files) {
    const byPath = new Map(
      (file.sourceCodeInfo?.location ?? []).map((place) => [place.path.join(), place.leadingComments]),
    )
    for (const { path, name } of declarationsOf(file)) {
      const comment = byPath.get(path.join())
      if (comment !== undefined) comments.set(name, inJsonNames(unwrapped(comment), jsonNames))
    }
  }
  return (name) => comments.get(name) ?? ''
}

/** The name under which the comment of a member is found. */
export function memberName(member: DescField | DescMethod): string {
  const parent: DescMessage | DescService = member.parent
  return `${parent.typeName}.${member.name}`
}

interface Declaration {
  readonly path: readonly number[]
  readonly name: string
}

function* declarationsOf(file: FileDescriptorProto): Iterable<Declaration> {
  const scope = file.package
  for (const [i, message] of file.messageType.entries()) yield* inMessage(message, scope, [FILE_MESSAGE, i])
  for (const [i, desc] of file.enumType.entries()) yield* inEnum(desc, scope, [FILE_ENUM, i])
  for (const [i, service] of file.service.entries()) yield* inService(service, scope, [FILE_SERVICE, i])
}

function* inMessage(message: DescriptorProto, scope: string, path: readonly number[]): Iterable<Declaration> {
  const name = `${scope}.${message.name}`
  yield { path, name }
  for (const [i, field] of message.field.entries()) {
    yield { path: [...path, MESSAGE_FIELD, i], name: `${name}.${field.name}` }
  }
  for (const [i, nested] of message.nestedType.entries()) yield* inMessage(nested, name, [...path, MESSAGE_NESTED, i])
  for (const [i, desc] of message.enumType.entries()) yield* inEnum(desc, name, [...path, MESSAGE_ENUM, i])
}

function* inEnum(desc: EnumDescriptorProto, scope: string, path: readonly number[]): Iterable<Declaration> {
  const name = `${scope}.${desc.name}`
  yield { path, name }
  for (const [i, value] of desc.value.entries()) {
    yield { path: [...path, ENUM_VALUE, i], name: `${name}.${value.name}` }
  }
}

function* inService(service: ServiceDescriptorProto, scope: string, path: readonly number[]): Iterable<Declaration> {
  const name = `${scope}.${service.name}`
  yield { path, name }
  for (const [i, method] of service.method.entries()) {
    yield { path: [...path, SERVICE_METHOD, i], name: `${name}.${method.name}` }
  }
}

function unwrapped(comment: string): string {
  const paragraphs = comment.split(/\n[ \t]*\n/)
  return paragraphs
    .map((lines) =>
      lines
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
        .trim(),
    )
    .join('\n\n')
}

function jsonNamesOf(files: readonly FileDescriptorProto[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const add = (message: DescriptorProto): void => {
    for (const field of message.field) names.set(field.name, field.jsonName)
    message.nestedType.forEach(add)
  }
  for (const file of files) file.messageType.forEach(add)
  return names
}

function inJsonNames(comment: string, jsonNames: ReadonlyMap<string, string>): string {
  return comment.replace(/`([a-z0-9]+(?:_[a-z0-9]+)+)`/g, (code, name: string) => {
    const jsonName = jsonNames.get(name)
    return jsonName === undefined || jsonName === '' ? code : `\`${jsonName}\``
  })
}
