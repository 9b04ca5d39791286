import { create, createFileRegistry, type DescMethod } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

const PACKAGE = 'scim.v2'

/**
 * Descriptors of operations such as `Users/Get`, so that their calls are bounded, measured and traced as those of methods
 * are. Nothing else of them is used: their messages are empty.
 */
export function describeOperations(operations: Iterable<string>): (operation: string) => DescMethod {
  const services = new Map<string, string[]>()
  for (const operation of new Set(operations)) {
    const [service = '', method = ''] = operation.split('/')
    services.set(service, [...(services.get(service) ?? []), method])
  }
  const message = `.${PACKAGE}.Resource`
  const file = create(FileDescriptorProtoSchema, {
    name: 'scim/v2/operations.proto',
    package: PACKAGE,
    syntax: 'proto3',
    messageType: [{ name: 'Resource' }],
    service: [...services].map(([name, methods]) => ({
      name,
      method: methods.map((method) => ({ name: method, inputType: message, outputType: message })),
    })),
  })
  const registry = createFileRegistry(file, () => undefined)
  return (operation) => {
    const [service = '', name] = operation.split('/')
    const method = registry.getService(`${PACKAGE}.${service}`)?.methods.find((each) => each.name === name)
    if (method === undefined) throw new Error(`the operation ${operation} is not described`)
    return method
  }
}
