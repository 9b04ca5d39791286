import type { DescFile, DescService } from '@bufbuild/protobuf'
import { Code, type ConnectRouter } from '@connectrpc/connect'
import {
  type ServerReflectionRequest,
  ServerReflection as ServerReflectionV1,
} from '../../gen/grpc/reflection/v1/reflection_pb.js'
import {
  ServerReflection as ServerReflectionV1Alpha,
  type ServerReflectionRequest as ServerReflectionV1AlphaRequest,
} from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { createReflectionIndex, type ReflectionIndex } from './reflection-index.js'

/** The versions of server reflection that are served. */
export const reflectionServices: readonly DescService[] = [ServerReflectionV1, ServerReflectionV1Alpha]

/**
 * Registers server reflection over the services, so that clients need no schema. Both versions have the same messages
 * under other names, hence one implementation. Responses repeat nothing of a request, since anyone may send one: they
 * come in the order of the questions.
 */
export function createReflectionRoutes(services: readonly DescService[]): (router: ConnectRouter) => void {
  const index = createReflectionIndex(services)
  async function* serverReflectionInfo<R extends ServerReflectionRequest | ServerReflectionV1AlphaRequest>(
    requests: AsyncIterable<R>,
  ) {
    for await (const request of requests) {
      yield { messageResponse: answerTo(request.messageRequest, index) }
    }
  }
  return (router) => {
    router.service(ServerReflectionV1, {
      serverReflectionInfo: (requests: AsyncIterable<ServerReflectionRequest>) => serverReflectionInfo(requests),
    })
    router.service(ServerReflectionV1Alpha, {
      serverReflectionInfo: (requests: AsyncIterable<ServerReflectionV1AlphaRequest>) => serverReflectionInfo(requests),
    })
  }
}

type Question = (ServerReflectionRequest | ServerReflectionV1AlphaRequest)['messageRequest']

function answerTo(question: Question, index: ReflectionIndex) {
  switch (question.case) {
    case 'listServices':
      return {
        case: 'listServicesResponse' as const,
        value: { service: index.serviceNames.map((name) => ({ name })) },
      }
    case 'fileByFilename':
      return fileAnswer(index.fileByName(question.value), 'file', index)
    case 'fileContainingSymbol':
      return fileAnswer(index.fileBySymbol(question.value), 'symbol', index)
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = question.value
      return fileAnswer(index.fileByExtension(containingType, extensionNumber), 'extension', index)
    }
    case 'allExtensionNumbersOfType': {
      const numbers = index.extensionNumbers(question.value)
      if (numbers === undefined) return notFound('message')
      return {
        case: 'allExtensionNumbersResponse' as const,
        value: { baseTypeName: question.value, extensionNumber: [...numbers] },
      }
    }
    case undefined:
      return errorAnswer(Code.InvalidArgument, 'the request is empty')
  }
}

function fileAnswer(file: DescFile | undefined, sought: string, index: ReflectionIndex) {
  if (file === undefined) return notFound(sought)
  return {
    case: 'fileDescriptorResponse' as const,
    value: { fileDescriptorProto: index.serialized(file) },
  }
}

function notFound(sought: string) {
  return errorAnswer(Code.NotFound, `this ${sought} is unknown`)
}

function errorAnswer(errorCode: Code, errorMessage: string) {
  return { case: 'errorResponse' as const, value: { errorCode, errorMessage } }
}
