import {
  type DescMessage,
  type DescMethod,
  type DescService,
  isFieldSet,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { PageTokens } from '../domain/paging.js'
import { createObject, deleteObject, getObject, listObjects, updateObject } from '../domain/standard-methods.js'
import { ofOwner, type StandardResource } from '../domain/standard-resource.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import { createMomentSetter } from '../transfer/message-moments.js'
import { printedAnswer, printedPage } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** A request of a standard method, by the names of its fields. */
type Request = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal: boolean
  /** The lists that an update empties. */
  readonly clearFields?: readonly string[]
}

type Handler = (request: Message & Request, context: HandlerContext) => Promise<Message>
type MakeHandler = (method: DescMethod, resource: StandardResource, pageTokens: PageTokens) => Handler

/** The handlers of the standard methods (AIP-131 to 135), by verb. */
const handlers: Readonly<Record<string, MakeHandler>> = {
  Get:
    ({ output }, resource) =>
    async (request, context) =>
      taggedAnswer(output, await getObject(scopeOf(context), placed(resource, request), request.id), context),

  List:
    ({ output }, resource, pageTokens) =>
    async (request, context) => {
      const filters = Object.fromEntries(resource.store.filters.map((name) => [name, String(request[name])]))
      return printedPage(output, await listObjects(scopeOf(context), resource, { ...request, filters }, pageTokens))
    },

  Create: ({ input, output }, resource) => {
    const names = input.fields.map(({ localName }) => localName)
    const { store } = resource
    const property = store.owner?.property
    return async (request, context) => {
      const owner = property === undefined ? {} : { [property]: request[property] }
      const given = { ...store.valuesOf(request, names), ...owner }
      return taggedAnswer(output, await createObject(scopeOf(context), resource, given), context)
    }
  },

  Update:
    ({ input, output }, resource) =>
    async (request, context) => {
      const given = input.fields.filter((field) => isFieldSet(request, field)).map(({ localName }) => localName)
      const names = [...given.filter((name) => name !== 'id'), ...(request.clearFields ?? [])]
      const changes = resource.store.valuesOf(request, names)
      return taggedAnswer(output, await updateObject(scopeOf(context), resource, request.id, () => changes), context)
    },

  Delete:
    ({ output }, resource) =>
    async (request, context) => {
      await deleteObject(scopeOf(context), placed(resource, request), request.id)
      return preprintedMessage(output, ['{}'])
    },
}

/** The objects that a request can name: those of one owner, if it names that as well. */
function placed(resource: StandardResource, request: Request): StandardResource {
  const { owner } = resource.store
  const ownerId = owner && request[owner.property]
  return typeof ownerId === 'string' ? ofOwner(resource, ownerId) : resource
}

/** Handlers of those methods of a service that are standard methods (AIP-131 to 135) of the resource. */
export function standardMethods<Service extends DescService>(
  service: Service,
  resource: StandardResource,
  pageTokens: PageTokens,
): Partial<ServiceImpl<Service>> {
  const type = service.name.replace(/Service$/, '')
  const { pages } = resource.store
  const setMoments = createMomentSetter()
  const named = Object.entries(handlers).flatMap(([verb, make]) => {
    const isNamed = ({ name }: DescMethod) => (verb === 'List' ? name.startsWith(verb) : name === `${verb}${type}`)
    const method = verb === 'List' && pages === undefined ? undefined : service.methods.find(isNamed)
    if (method === undefined) return []
    const handle = make(method, resource, pageTokens)
    const settled: Handler = async (request, context) => {
      setMoments(method.input, request)
      return handle(request, context)
    }
    return [[method.localName, settled] as const]
  })
  // What is made of a method has its types.
  const made: object = Object.fromEntries(named)
  return made as Partial<ServiceImpl<Service>>
}

/** An answer with an object and its `ETag`. */
export function taggedAnswer<Desc extends DescMessage>(
  desc: Desc,
  json: string,
  context: HandlerContext,
): MessageShape<Desc> {
  context.responseHeader.set('etag', entityTagOf(json))
  return printedAnswer(desc, json)
}
