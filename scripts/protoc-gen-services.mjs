import { getOption } from '@bufbuild/protobuf'
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'

// A plugin of buf: writes the list of all services, and the list of the files that the client exports.

/** The name of a service's member in the client: the collection in the paths of its objects, or else its own name. */
function memberOf({ name, methods }, http) {
  const subject = name.replace(/Service$/, '')
  const method = methods.find((each) => each.name === `Get${subject}` || each.name === `List${subject}s`)
  const { value: path = '' } = method === undefined ? {} : getOption(method, http).pattern
  const collection = path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{'))
  if (collection === undefined) return `${subject[0].toLowerCase()}${subject.slice(1)}`
  return collection.replace(/-[a-z]/g, (start) => start[1].toUpperCase())
}

const byName = ([one], [other]) => (one < other ? -1 : 1)

const plugin = createEcmaScriptPlugin({
  name: 'protoc-gen-services',
  version: 'v1',
  generateTs: ({ allFiles, generateFile }) => {
    const http = allFiles.flatMap(({ extensions }) => extensions).find(({ typeName }) => typeName === 'google.api.http')
    const files = allFiles.filter(({ proto }) => proto.package === 'svc.v2')
    const members = files.flatMap(({ services }) => services).map((service) => [memberOf(service, http), service])
    const services = generateFile('svc/v2/services.ts')
    services.print('/** Every service, by the name of its member in the client. Generated, do not edit. */')
    services.print('export const services = {')
    for (const [member, service] of members.sort(byName)) {
      services.print('  ', member, ': ', services.importSchema(service), ',')
    }
    services.print('} as const')
    const messages = generateFile('svc/v2/messages.ts')
    messages.print('// Every file but those that declare options. Generated, do not edit.')
    for (const { name, extensions } of files.sort(({ name: one }, { name: other }) => byName([one], [other]))) {
      if (extensions.length === 0) messages.print("export * from './", name.replace('svc/v2/', ''), "_pb.js'")
    }
  },
})

runNodeJs(plugin)
