import { type DescFile, type DescMessage, type DescService, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

/** What the services of a server are made of, found by name. */
export interface ReflectionIndex {
  /** The fully qualified names of the services, sorted. */
  readonly serviceNames: readonly string[]
  fileByName(name: string): DescFile | undefined
  /** The file that declares a message, field, oneof, enum, value, extension, service or method. */
  fileBySymbol(name: string): DescFile | undefined
  fileByExtension(extendee: string, number: number): DescFile | undefined
  /** The numbers of the extensions of a message, sorted; undefined for a message that is not known. */
  extensionNumbers(extendee: string): readonly number[] | undefined
  /** The file and everything that it imports, each once, imports first, as serialized `FileDescriptorProto`s. */
  serialized(file: DescFile): Uint8Array[]
}

/** Indexes the files of the services and everything that they import. */
export function createReflectionIndex(services: readonly DescService[]): ReflectionIndex {
  const files = new Set<DescFile>()
  for (const service of services) addWithImports(files, service.file)
  const symbols = new Map<string, DescFile>()
  const extensions = new Map<string, Map<number, DescFile>>()
  for (const file of files) {
    for (const name of symbolsOf(file)) symbols.set(name, file)
    for (const type of nestedTypes(file)) {
      if (type.kind !== 'extension') continue
      const known = extensions.get(type.extendee.typeName) ?? new Map<number, DescFile>()
      extensions.set(type.extendee.typeName, known.set(type.number, file))
    }
  }
  const byName = new Map([...files].map((file) => [file.proto.name, file]))
  const messages = new Set([...files].flatMap((file) => [...messagesOf(file)].map((message) => message.typeName)))
  const serialized = new Map<DescFile, Uint8Array>()
  const serializedOnce = (file: DescFile) => {
    const bytes = serialized.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto)
    serialized.set(file, bytes)
    return bytes
  }
  return {
    serviceNames: services.map((service) => service.typeName).sort(),
    fileByName: (name) => byName.get(name),
    fileBySymbol: (name) => symbols.get(name),
    fileByExtension: (extendee, number) => extensions.get(extendee)?.get(number),
    extensionNumbers: (extendee) =>
      messages.has(extendee) ? [...(extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b) : undefined,
    serialized: (file) => {
      const needed = new Set<DescFile>()
      addWithImports(needed, file)
      return [...needed].map(serializedOnce)
    },
  }
}

function addWithImports(files: Set<DescFile>, file: DescFile): void {
  if (files.has(file)) return
  for (const dependency of file.dependencies) addWithImports(files, dependency)
  files.add(file)
}

function* messagesOf(file: DescFile): Iterable<DescMessage> {
  for (const type of nestedTypes(file)) if (type.kind === 'message') yield type
}

function* symbolsOf(file: DescFile): Iterable<string> {
  for (const type of nestedTypes(file)) {
    yield type.typeName
    switch (type.kind) {
      case 'message':
        for (const member of [...type.fields, ...type.oneofs]) yield `${type.typeName}.${member.name}`
        break
      case 'enum': {
        // The values of an enum are siblings of the enum, as in C++.
        const scope = type.typeName.slice(0, -type.name.length)
        for (const value of type.values) yield scope + value.name
        break
      }
      case 'service':
        for (const method of type.methods) yield `${type.typeName}.${method.name}`
        break
      case 'extension':
        break
    }
  }
}
