import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  DescMethod,
  DescService,
  FileRegistry,
} from '@bufbuild/protobuf'
import { getComments } from '@bufbuild/protoplugin'

/** The comment of a declaration; empty where it has none. */
export type SourceComments = (
  declared: DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService,
) => string

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
  return (declared) => {
    const paragraphs = (getComments(declared).leading ?? '').split(/\n[ \t]*\n/).map((paragraph) => {
      const lines = paragraph.trim().split('\n')
      return lines.map((line) => line.trim()).join(' ')
    })
    return paragraphs.join('\n\n').replace(/`([a-z0-9]+(?:_[a-z0-9]+)+)`/g, (code, name: string) => {
      const jsonName = jsonNames.get(name)
      return jsonName === undefined ? code : `\`${jsonName}\``
    })
  }
}

export function memberName({ parent, name }: DescField | DescMethod): string {
  return `${parent.typeName}.${name}`
}
