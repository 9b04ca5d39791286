import { buffer } from 'node:stream/consumers'
import { createFileRegistry, fromBinary, getExtension, hasExtension, setExtension, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

// Reads an image of the schema (buf build -o -) and writes it with what follows from names, forms (svc.v2.form) and
// services: the rules of fields, the access rules of methods, and the comments of fields, requests and responses of
// standard methods that have none of their own.

const PACKAGE = 'svc.v2'
const image = fromBinary(FileDescriptorSetSchema, await buffer(process.stdin))
const registry = createFileRegistry(image)
const option = (name) => registry.getExtension(name)
const form = option(`${PACKAGE}.form`)
const [access, permissions, credentialKinds] = ['access', 'permissions', 'credential_kinds'].map((name) =>
  option(`${PACKAGE}.${name}`),
)
const everyKind = registry.getEnum(`${PACKAGE}.CredentialKind`).values.flatMap(({ number }) => number || [])
/** What a form says, and the option of fields that says the same. */
const completed = [
  [option(`${PACKAGE}.form_rules`), option('buf.validate.field')],
  [option(`${PACKAGE}.form_limit`), option(`${PACKAGE}.limit`)],
]
const commentsOf = (file) => {
  const places = new Map(file.sourceCodeInfo.location.map((place) => [place.path.join(), place]))
  return (path) => places.get(path.join())
}
const formFile = registry.getFile(`${PACKAGE.replaceAll('.', '/')}/form.proto`).proto
const formComments = commentsOf(formFile)
const forms = new Map(
  formFile.enumType[0].value.map((value, index) => {
    return [value.number, { value, comment: formComments([5, 0, 2, index])?.leadingComments }]
  }),
)
const methods = new Set(
  image.file.flatMap((file) => file.service.flatMap((service) => service.method.map(({ name }) => name))),
)
const acronyms = new Map([
  ['Api', 'API'],
  ['Sla', 'SLA'],
])
const usualComments = {
  'Request id': { Get: ' The ….\n', Update: ' The … to change.\n', Delete: ' The … to delete.\n' },
  'Response data': {
    Get: ' The ….\n',
    List: ' The … of the page.\n',
    Create: ' The new ….\n',
    Update: ' The … after the update.\n',
  },
}
const undescribed = []

for (const file of image.file) {
  if (file.package !== PACKAGE) continue
  const placeOf = commentsOf(file)
  for (const [index, message] of file.messageType.entries()) completeMessage(message, [4, index], placeOf)
  for (const service of file.service) completeService(service)
}
if (undescribed.length > 0) throw new Error(`no comment says what these are: ${undescribed.join(', ')}`)
process.stdout.write(toBinary(FileDescriptorSetSchema, image))

function completeMessage(message, path, placeOf) {
  const [, method, part] = /^(\w+)(Request|Response)$/.exec(message.name) ?? []
  describe(message.name, placeOf(path), methods.has(method) ? ` ${part} of ${method}.\n` : undefined)
  for (const [index, field] of message.field.entries()) {
    const of =
      field.options && hasExtension(field.options, form) ? forms.get(getExtension(field.options, form)) : undefined
    if (of !== undefined) completeField(field, of.value)
    const usual = of?.comment ?? (part === undefined ? undefined : usualComment(method, part, field.name))
    describe(`${message.name}.${field.name}`, placeOf([...path, 2, index]), usual)
  }
  for (const [index, nested] of message.nestedType.entries()) {
    if (!nested.options?.mapEntry) completeMessage(nested, [...path, 3, index], placeOf)
  }
}

/** Gives each method the whole access rule: what it does not say itself is said by its service. */
function completeService({ options, method: methods }) {
  const group = options && getExtension(options, permissions)
  const kinds = options && getExtension(options, credentialKinds)
  for (const { options: own } of methods) {
    if (!group && !hasExtension(own, access)) continue
    const rule = getExtension(own, access)
    if (rule.anonymous) continue
    if (rule.credentialKinds.length === 0) rule.credentialKinds = kinds?.length > 0 ? kinds : everyKind
    // NO_SIDE_EFFECTS is 1.
    const verb = own.idempotencyLevel === 1 ? 'read' : 'write'
    if (group && rule.permission === '' && rule.callers === 0) rule.permission = `${group}:${verb}`
    setExtension(own, access, rule)
  }
}

/** What the object or the objects are that a standard method (AIP-131 to 135) is about. */
function usualComment(method, part, field) {
  const [, verb, resource] = /^(Get|List|Create|Update|Delete)(\w+)$/.exec(method) ?? []
  const words = resource
    ?.split(/(?=[A-Z])/)
    .map((word) => acronyms.get(word) ?? word.toLowerCase())
    .join(' ')
  return usualComments[`${part} ${field}`]?.[verb]?.replace('…', words)
}

/** Gives something the usual comment, unless it has its own. */
function describe(name, place, usual) {
  if (place.leadingComments) return
  if (usual === undefined) undescribed.push(name)
  else place.leadingComments = usual
}

/** Gives a field what its form says; what the field says itself comes last and so prevails. */
function completeField({ options, label, proto3Optional }, { options: formOptions }) {
  if (formOptions === undefined) return
  for (const [said, given] of completed) {
    if (!hasExtension(formOptions, said)) continue
    const { message } = said
    const own = hasExtension(options, given) ? toBinary(message, getExtension(options, given)) : new Uint8Array()
    const all = fromBinary(message, Buffer.concat([toBinary(message, getExtension(formOptions, said)), own]))
    // LABEL_REPEATED is 3.
    const hasNoPresence = !proto3Optional && label !== 3
    if (hasNoPresence && all.type?.case === 'string' && all.type.value.minLen > 0n) all.required = true
    setExtension(options, given, all)
  }
}
