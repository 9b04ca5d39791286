import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescFile,
  DescMessage,
  DescMethod,
  DescService,
  FileRegistry,
} from '@bufbuild/protobuf'

type Declared = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService

/** The comment of a declaration; empty where it has none. */
export type SourceComments = (declared: Declared) => string

/**
 * Reads the leading comments of a package whose files carry source information. Lines of a paragraph are joined, and a
 * name in backticks that is a field's is given as JSON spells it.
 */
export function createSourceComments(registry: FileRegistry, packageName: string): SourceComments {
  const jsonNames = new Map<string, string>()
  for (const type of registry) {
    if (type.kind !== 'message' || type.file.proto.package !== packageName) continue
    for (const { name, jsonName } of type.fields) jsonNames.set(name, jsonName)
  }
  const comments = new Map<DescFile, ReadonlyMap<string, string>>()
  for (const file of registry.files) {
    if (file.proto.package !== packageName) continue
    const places = file.proto.sourceCodeInfo?.location ?? []
    comments.set(file, new Map(places.map(({ path, leadingComments }) => [path.join(), leadingComments])))
  }
  return (declared) => {
    const comment = comments.get(fileOf(declared))?.get(pathOf(declared).join()) ?? ''
    return inJsonNames(unwrapped(comment), jsonNames)
  }
}

function fileOf(declared: Declared): DescFile {
  return 'file' in declared ? declared.file : declared.parent.file
}

/** Where a file declares it (google/protobuf/descriptor.proto, SourceCodeInfo.Location.path). */
function pathOf(declared: Declared): number[] {
  switch (declared.kind) {
    case 'message':
      return declared.parent
        ? [...pathOf(declared.parent), 3, declared.parent.proto.nestedType.indexOf(declared.proto)]
        : [4, declared.file.proto.messageType.indexOf(declared.proto)]
    case 'enum':
      return declared.parent
        ? [...pathOf(declared.parent), 4, declared.parent.proto.enumType.indexOf(declared.proto)]
        : [5, declared.file.proto.enumType.indexOf(declared.proto)]
    case 'service':
      return [6, declared.file.proto.service.indexOf(declared.proto)]
    case 'field':
      return [...pathOf(declared.parent), 2, declared.parent.proto.field.indexOf(declared.proto)]
    case 'enum_value':
      return [...pathOf(declared.parent), 2, declared.parent.proto.value.indexOf(declared.proto)]
    case 'rpc':
      return [...pathOf(declared.parent), 2, declared.parent.proto.method.indexOf(declared.proto)]
  }
}

/** The name of a member of a message or a service. */
export function memberName({ parent, name }: DescField | DescMethod): string {
  return `${parent.typeName}.${name}`
}

function unwrapped(comment: string): string {
  const paragraphs = comment.split(/\n[ \t]*\n/)
  const joined = (lines: string) =>
    lines
      .split('\n')
      .map((line) => line.trim())
      .join(' ')
      .trim()
  return paragraphs.map(joined).join('\n\n')
}

function inJsonNames(comment: string, jsonNames: ReadonlyMap<string, string>): string {
  return comment.replace(/`([a-z0-9]+(?:_[a-z0-9]+)+)`/g, (code, name: string) => {
    const jsonName = jsonNames.get(name)
    return jsonName === undefined ? code : `\`${jsonName}\``
  })
}
