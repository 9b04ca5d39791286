import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  isFieldSet,
  type Message,
} from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { services as servicesByMember } from '../../gen/svc/v2/services.js'
import { createObject, deleteObject, getObject, listObjects, updateObject } from '../domain/standard-methods.js'
import { ofOwner, type StandardResource } from '../domain/standard-resource.js'
import { invalidField } from '../errors.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import type { StandardStore } from '../store/standard-methods.js'
import type { StandardKey } from '../store/standard-writes.js'
import { fieldHint } from './method-options.js'
import { rawJsonList, rawJsonWithEtag } from './raw-json.js'
import { callContextOf } from './request-context.js'

type Request = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal: boolean
  /** The lists that an update empties. */
  readonly clearFields?: readonly string[]
}

type Handler = <Of extends StandardKey>(
  request: Message & Request,
  context: HandlerContext,
  resource: StandardResource<Of>,
) => Promise<Message>

/** The handlers of the standard methods (AIP-131 to 135), by verb. */
const handlers: Readonly<Record<string, Handler>> = {
  Get: async (request, context, resource) =>
    rawJsonWithEtag(context, await getObject(callContextOf(context), placed(resource, request), request.id)),

  List: async (request, context, resource) => {
    const filters = Object.fromEntries(resource.store.filters.map((name) => [name, String(request[name])]))
    return rawJsonList(context, await listObjects(callContextOf(context), resource, { ...request, filters }))
  },

  Create: async (request, context, resource) => {
    const given = createdValues(resource, request, context)
    return rawJsonWithEtag(context, await createObject(callContextOf(context), resource, given))
  },

  Update: async (request, context, resource) => {
    const changes = updatedValues(resource, request, context)
    const requireUnchanged = unchangedCheck(resource.store, request, context.method.input)
    const object = await updateObject(callContextOf(context), resource, request.id, (before) => {
      requireUnchanged?.(before)
      return changes
    })
    return rawJsonWithEtag(context, object)
  },

  Delete: async (request, context, resource) => {
    await deleteObject(callContextOf(context), placed(resource, request), request.id)
    return preprintedMessage(context.method.output, ['{}'])
  },
}

export function createdValues<Of extends StandardKey>(
  { store }: StandardResource<Of>,
  request: object,
  { method }: Pick<HandlerContext, 'method'>,
): Partial<Of> {
  return store.valuesOf(
    request,
    method.input.fields.map(({ localName }) => localName),
  )
}

/** The values that a request gives an object, or empties. */
export function updatedValues<Of extends StandardKey>(
  { store }: StandardResource<Of>,
  request: Message & Pick<Request, 'clearFields'>,
  { method }: Pick<HandlerContext, 'method'>,
): Partial<Of> {
  const given = method.input.fields.filter(
    (field) => field.name !== 'id' && !immutableFields.has(field) && isFieldSet(request, field),
  )
  return store.valuesOf(request, [...given.map(({ localName }) => localName), ...(request.clearFields ?? [])])
}

/**
 * Makes the check that a request, or its part at the path `at`, does not change immutable fields; undefined if it gives
 * none of them. Their current values are accepted, so that a resource that was read can be sent back (AIP-203).
 */
export function unchangedCheck<Of extends StandardKey>(
  { valuesOf, changedFields }: Pick<StandardStore<Of>, 'valuesOf' | 'changedFields'>,
  request: Message,
  input: DescMessage,
  at = '',
): ((before: Partial<Of>) => void) | undefined {
  const given = input.fields.filter((field) => immutableFields.has(field) && isFieldSet(request, field))
  if (given.length === 0) return undefined
  const values = valuesOf(
    request,
    given.map(({ localName }) => localName),
  )
  return (before) => {
    const [changed] = changedFields(before, values)
    if (changed === undefined) return
    const why = fieldHint(input, changed) ?? 'an update cannot change it'
    throw invalidField(`${at}${changed}`, `is not the present one: ${why}`)
  }
}

/** Found once: reading an option takes longer than checking a field. */
const immutableFields: ReadonlySet<DescField> = new Set(
  Object.values(servicesByMember)
    .flatMap(({ file }) => file.messages)
    .flatMap(({ fields }) => fields)
    .filter((field) => getOption(field, field_behavior).includes(FieldBehavior.IMMUTABLE)),
)

/** The objects that a request can name: those of one owner, if it names that as well. */
function placed<Of extends StandardKey>(resource: StandardResource<Of>, request: Request): StandardResource<Of> {
  const { owner } = resource.store
  const ownerId = owner && request[owner.property]
  return typeof ownerId === 'string' ? ofOwner(resource, ownerId) : resource
}

/** Handlers of those methods of a service that are standard methods (AIP-131 to 135) of the resource. */
export function standardMethods<Service extends DescService, Of extends StandardKey>(
  service: Service,
  resource: StandardResource<Of>,
): Partial<ServiceImpl<Service>> {
  const type = service.name.replace(/Service$/, '')
  const { pages } = resource.store
  const named = Object.entries(handlers).flatMap(([verb, handle]) => {
    const isNamed = ({ name }: DescMethod) => (verb === 'List' ? name.startsWith(verb) : name === `${verb}${type}`)
    const method = verb === 'List' && pages === undefined ? undefined : service.methods.find(isNamed)
    if (method === undefined) return []
    const withItemIds = async (request: Message & Request, context: HandlerContext) => {
      const { newId } = callContextOf(context).runtime
      const items = resource.store.lists.flatMap((list) => (request[list] ?? []) as { id: string }[])
      for (const item of items) item.id ||= newId()
      return handle(request, context, resource)
    }
    return [[method.localName, withItemIds] as const]
  })
  // Each handler has the types of its method, which the compiler cannot see here.
  const methods: object = Object.fromEntries(named)
  return methods as Partial<ServiceImpl<Service>>
}
