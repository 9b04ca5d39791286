import { readFileSync } from 'node:fs'
import {
  create,
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
} from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect'

export const image = fromBinary(FileDescriptorSetSchema, readFileSync('test/rest/proto/messages.binpb'))

/** An HTTP rule as a test writes it. */
export interface RuleInit {
  readonly get?: string
  readonly put?: string
  readonly post?: string
  readonly delete?: string
  readonly patch?: string
  readonly custom?: { readonly kind: string; readonly path: string }
  readonly body?: string
  readonly responseBody?: string
  readonly additional?: readonly RuleInit[]
}

/** A method of a test service; types are those of messages.proto, `Everything` where nothing is said. */
export interface MethodInit {
  readonly rule?: RuleInit
  readonly input?: string
  readonly output?: string
  readonly clientStream?: boolean
  readonly serverStream?: boolean
  /** Whether it has no side effects, so that Connect serves it by GET as well. */
  readonly noSideEffects?: boolean
}

/** Encodes a rule as protoc would. */
export function ruleBytes(rule: RuleInit): Uint8Array {
  const writer = new BinaryWriter()
  const text = (no: number, value: string | undefined): void => {
    if (value !== undefined) writer.tag(no, WireType.LengthDelimited).string(value)
  }
  text(2, rule.get)
  text(3, rule.put)
  text(4, rule.post)
  text(5, rule.delete)
  text(6, rule.patch)
  text(7, rule.body)
  if (rule.custom !== undefined) {
    writer.tag(8, WireType.LengthDelimited).fork()
    text(1, rule.custom.kind)
    text(2, rule.custom.path)
    writer.join()
  }
  for (const each of rule.additional ?? []) writer.tag(11, WireType.LengthDelimited).bytes(ruleBytes(each))
  text(12, rule.responseBody)
  return writer.finish()
}

/**
 * Builds a service of the given methods at run time, with real descriptors and rules in the options' bytes. Its file
 * imports all others, or those alone that are named.
 */
export function defineService(
  methods: Readonly<Record<string, MethodInit>>,
  name = 'TestService',
  imports?: readonly string[],
): DescService {
  const imported = image.file.filter((each) => imports?.includes(each.name) ?? true)
  const file = create(FileDescriptorProtoSchema, {
    name: `rest/test/v1/${name}.proto`,
    package: 'rest.test.v1',
    syntax: 'proto3',
    dependency: imported.map((each) => each.name),
    service: [{ name, method: Object.entries(methods).map(([method, init]) => methodProto(method, init)) }],
  })
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...imported, file] }))
  const service = registry.getService(`rest.test.v1.${name}`)
  if (service === undefined) throw new Error(`no service ${name}`)
  return service
}

function methodProto(name: string, init: MethodInit) {
  const options = create(MethodOptionsSchema)
  if (init.noSideEffects === true) options.idempotencyLevel = MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
  if (init.rule !== undefined) {
    const data = new BinaryWriter().bytes(ruleBytes(init.rule)).finish()
    options.$unknown = [{ no: 72295728, wireType: WireType.LengthDelimited, data }]
  }
  return create(MethodDescriptorProtoSchema, {
    name,
    inputType: typeName(init.input ?? 'Everything'),
    outputType: typeName(init.output ?? 'Everything'),
    options,
    clientStreaming: init.clientStream ?? false,
    serverStreaming: init.serverStream ?? false,
  })
}

function typeName(name: string): string {
  return name.includes('.') ? `.${name}` : `.rest.test.v1.${name}`
}

/** A message type of messages.proto, closed.proto or google. */
export function messageType(name: string): DescMessage {
  const found = createFileRegistry(image).getMessage(typeName(name).slice(1))
  if (found === undefined) throw new Error(`no message ${name}`)
  return found
}

/** What a test implementation is given and may answer; messages of these types are known only at run time. */
export type AnyHandler = (message: Record<string, unknown>, context: HandlerContext, method: DescMethod) => unknown

/** Registers one handler for every method of a service. */
export function routesOf(service: DescService, handler: AnyHandler): (router: ConnectRouter) => void {
  const implementation = Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      (message: Message, context: HandlerContext) =>
        handler(message as unknown as Record<string, unknown>, context, method),
    ]),
  )
  return (router) => void router.service(service, implementation as unknown as Partial<ServiceImpl<DescService>>)
}

/** Routes that answer every request with itself. */
export function echoRoutes(service: DescService): (router: ConnectRouter) => void {
  return routesOf(service, (message) => message)
}
