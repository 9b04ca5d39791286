import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectRouter } from '@connectrpc/connect'
import {
  type ServerReflectionRequest,
  ServerReflection as ServerReflectionV1,
} from '../../gen/grpc/reflection/v1/reflection_pb.js'
import {
  ServerReflection as ServerReflectionV1Alpha,
  type ServerReflectionRequest as ServerReflectionV1AlphaRequest,
} from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'

export const reflectionServices: readonly DescService[] = [ServerReflectionV1, ServerReflectionV1Alpha]

/**
 * Registers server reflection over the services, so that clients need no schema. Both versions have the same messages
 * under other names, hence one implementation. Responses repeat nothing of a request, since anyone may send one: they
 * come in the order of the questions.
 */
export function createReflectionRoutes(services: readonly DescService[]): (router: ConnectRouter) => void {
  const answerTo = createAnswers(services)
  async function* serverReflectionInfo(requests: AsyncIterable<ReflectionRequest>) {
    for await (const { messageRequest } of requests) yield { messageResponse: answerTo(messageRequest) }
  }
  return (router) => {
    router.service(ServerReflectionV1, { serverReflectionInfo })
    router.service(ServerReflectionV1Alpha, { serverReflectionInfo })
  }
}

type ReflectionRequest = ServerReflectionRequest | ServerReflectionV1AlphaRequest

function createAnswers(services: readonly DescService[]) {
  const files = withImports(services.map(({ file }) => file))
  const names = services.map(({ typeName }) => typeName).sort()
  const byName = new Map(files.map((file) => [file.proto.name, file]))
  const symbols = new Map(files.flatMap((file) => Array.from(symbolsOf(file), (name) => [name, file] as const)))
  const types = files.flatMap((file) => [...nestedTypes(file)])
  const extensions = types.filter((type) => type.kind === 'extension')
  const serialized = new Map<DescFile, Uint8Array>()
  const serializedOnce = (file: DescFile) => {
    const bytes = serialized.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto)
    serialized.set(file, bytes)
    return bytes
  }
  const fileAnswer = (file: DescFile | undefined, sought: string) =>
    file === undefined
      ? notFound(sought)
      : {
          case: 'fileDescriptorResponse' as const,
          value: { fileDescriptorProto: withImports([file]).map(serializedOnce) },
        }
  return (question: ReflectionRequest['messageRequest']) => {
    switch (question.case) {
      case 'listServices':
        return { case: 'listServicesResponse' as const, value: { service: names.map((name) => ({ name })) } }
      case 'fileByFilename':
        return fileAnswer(byName.get(question.value), 'file')
      case 'fileContainingSymbol':
        return fileAnswer(symbols.get(question.value), 'symbol')
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = question.value
        const ofType = extensions.filter(({ extendee }) => extendee.typeName === containingType)
        return fileAnswer(ofType.find(({ number }) => number === extensionNumber)?.file, 'extension')
      }
      case 'allExtensionNumbersOfType': {
        const baseTypeName = question.value
        if (!types.some(({ kind, typeName }) => kind === 'message' && typeName === baseTypeName)) {
          return notFound('message')
        }
        const ofType = extensions.filter(({ extendee }) => extendee.typeName === baseTypeName)
        const extensionNumber = ofType.map(({ number }) => number).sort((a, b) => a - b)
        return { case: 'allExtensionNumbersResponse' as const, value: { baseTypeName, extensionNumber } }
      }
      case undefined:
        return errorAnswer(Code.InvalidArgument, 'the request is empty')
    }
  }
}

function notFound(sought: string) {
  return errorAnswer(Code.NotFound, `this ${sought} is unknown`)
}

function errorAnswer(errorCode: Code, errorMessage: string) {
  return { case: 'errorResponse' as const, value: { errorCode, errorMessage } }
}

/** The files and everything that they import, each once, imports first. */
function withImports(files: readonly DescFile[]): DescFile[] {
  const all = files.flatMap((file) => [...withImports(file.dependencies), file])
  return [...new Set(all)]
}

/** The messages, fields, oneofs, enums, values, extensions, services and methods that a file declares. */
function* symbolsOf(file: DescFile): Iterable<string> {
  for (const type of nestedTypes(file)) {
    yield type.typeName
    if (type.kind === 'message') {
      for (const member of [...type.fields, ...type.oneofs]) yield `${type.typeName}.${member.name}`
    } else if (type.kind === 'enum') {
      // The values of an enum are siblings of the enum, as in C++.
      const scope = type.typeName.slice(0, -type.name.length)
      for (const value of type.values) yield scope + value.name
    } else if (type.kind === 'service') {
      for (const method of type.methods) yield `${type.typeName}.${method.name}`
    }
  }
}
