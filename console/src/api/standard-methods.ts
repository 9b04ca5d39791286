import type { DescMessage, DescMethodUnary, DescService } from '@bufbuild/protobuf'

export type Method = DescMethodUnary<DescMessage, DescMessage>

/** The methods that read a resource. */
export interface ReadMethods {
  readonly list: Method
  readonly get: Method
}

/** The methods of a resource that are called alike everywhere (AIP-130). */
export interface StandardMethods extends ReadMethods {
  readonly create: Method
  readonly update: Method
  readonly remove?: Method
  /** Takes one out of use, and puts it back. */
  readonly archive?: { readonly begin: Method; readonly end: Method }
}

/** The message that a method answers, or answers a list of. */
export function itemOf({ output }: Method): DescMessage {
  const message = output.field['data']?.message
  if (message === undefined) throw new Error(`${output.typeName} has no message in data`)
  return message
}

/** The methods that read the resource that a service is named after. Throws if it has none. */
export function readMethods(service: DescService): ReadMethods {
  const get = callOf(service, 'Get')
  const isList = ({ name, output }: Method) =>
    name.startsWith('List') && output.field['data']?.message === (get && itemOf(get))
  const list = callsOf(service).find(isList)
  if (!get || !list) throw new Error(`${service.name} does not list what it gets`)
  return { list, get }
}

/** The standard methods of the resource that a service is named after; the updates are one by one, or a batch. Throws if one lacks. */
export function standardMethods(service: DescService): StandardMethods {
  const [create, remove] = [callOf(service, 'Create'), callOf(service, 'Delete')]
  const update = callOf(service, 'Update') ?? callsOf(service).find(({ name }) => name.startsWith('BatchUpdate'))
  if (!create || !update) throw new Error(`${service.name} does not create and update`)
  const [begin, end] = [callOf(service, 'Archive'), callOf(service, 'Unarchive')]
  const archive = begin && end && { begin, end }
  return { ...readMethods(service), create, update, ...(remove && { remove }), ...(archive && { archive }) }
}

function callsOf({ methods }: DescService): readonly Method[] {
  return methods.filter((method): method is Method => method.methodKind === 'unary')
}

/** The method that does something with one of the resource. */
function callOf(service: DescService, verb: string): Method | undefined {
  return callsOf(service).find(({ name }) => name === `${verb}${service.name.replace(/Service$/, '')}`)
}
