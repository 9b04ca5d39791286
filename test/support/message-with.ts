import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf'
import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  type FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

/** A message type that is in no file, with these fields. */
export function messageWith(fields: readonly (readonly [name: string, type: Type])[]): DescMessage {
  const file = create(FileDescriptorProtoSchema, {
    name: 'thing.proto',
    package: 'test',
    syntax: 'proto3',
    messageType: [
      {
        name: 'Thing',
        field: fields.map(([name, type], index) => ({
          name,
          jsonName: protoCamelCase(name),
          number: index + 1,
          type,
          label: Label.OPTIONAL,
        })),
      },
    ],
  })
  const message = createFileRegistry(file, () => undefined).getMessage('test.Thing')
  if (message === undefined) throw new Error('there is no message')
  return message
}
