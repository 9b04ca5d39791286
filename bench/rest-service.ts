import { create, createFileRegistry, type DescService, setExtension } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import type { ConnectRouter, ServiceImpl } from '@connectrpc/connect'
import { http } from '../gen/google/api/annotations_pb.js'
import { type HttpRule, HttpRuleSchema } from '../gen/google/api/http_pb.js'

const PACKAGE = 'bench.v1'
const { STRING, INT32, INT64, BOOL, DOUBLE, ENUM, MESSAGE } = FieldDescriptorProto_Type

/** A message with its fields in the order of their numbers: a scalar, a list of one, or another type by its name. */
function message(name: string, fields: Readonly<Record<string, FieldDescriptorProto_Type | string>>): DescriptorProto {
  return create(DescriptorProtoSchema, {
    name,
    field: Object.entries(fields).map(([field, type], index) =>
      create(FieldDescriptorProtoSchema, {
        name: field,
        jsonName: field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        number: index + 1,
        label: field.endsWith('s') ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
        ...(typeof type === 'string'
          ? { type: type === 'Color' ? ENUM : MESSAGE, typeName: `.${PACKAGE}.${type}` }
          : { type }),
      }),
    ),
  })
}

/** The size of an ordinary resource. */
const resource = message('Resource', {
  id: STRING,
  team_id: STRING,
  name: STRING,
  description: STRING,
  rank: INT32,
  revision: INT64,
  enabled: BOOL,
  color: 'Color',
  tag_ids: STRING,
  leaf: 'Leaf',
  weight: DOUBLE,
  note: STRING,
})

/** A service whose methods take and return a resource, by the rules of their names. */
export function resourceService(rules: Readonly<Record<string, Pick<HttpRule, 'pattern'> & { body?: string }>>) {
  const file = create(FileDescriptorProtoSchema, {
    name: 'bench/v1/resource.proto',
    package: PACKAGE,
    syntax: 'proto3',
    messageType: [resource, message('Leaf', { name: STRING, count: INT32 })],
    enumType: [
      create(EnumDescriptorProtoSchema, {
        name: 'Color',
        value: ['COLOR_UNSPECIFIED', 'COLOR_RED'].map((name, number) => ({ name, number })),
      }),
    ],
    service: [
      {
        name: 'ResourceService',
        method: Object.entries(rules).map(([name, rule]) => {
          const options = create(MethodOptionsSchema)
          setExtension(options, http, create(HttpRuleSchema, rule))
          const type = `.${PACKAGE}.Resource`
          return create(MethodDescriptorProtoSchema, { name, inputType: type, outputType: type, options })
        }),
      },
    ],
  })
  const service = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getService(
    `${PACKAGE}.ResourceService`,
  )
  if (service === undefined) throw new Error('the service of the benchmark is missing')
  return service
}

/** Routes that answer every request in the same way; its type is known only at run time. */
export function answering(service: DescService, answer: object): (router: ConnectRouter) => void {
  const methods: unknown = Object.fromEntries(service.methods.map(({ localName }) => [localName, () => answer]))
  return (router) => void router.service(service, methods as Partial<ServiceImpl<DescService>>)
}
