import { type DescMessage, type DescMethodUnary, getOption, hasOption, type Message, toJson } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { http } from '../../../gen/google/api/annotations_pb.js'
import { entity_tags, http_form } from '../../../gen/svc/v2/http_form_pb.js'

/** A call as plain HTTP. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

/** The HTTP request that is the same as a call, by its `google.api.http`. Throws for a method without one. */
export function httpRequestFor(method: DescMethodUnary, input: Message): HttpRequest {
  const { pattern, body } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no HTTP form`)
  const left = Object(toJson(method.input as DescMessage, input))
  const fields = reflect(method.input, input)
  const path = pattern.value.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = fields.fields.find((each) => each.name === name)
    if (field === undefined) throw new Error(`${method.name} has no field ${name}`)
    delete left[field.jsonName]
    const value: unknown = fields.get(field)
    return encodeURIComponent(typeof value === 'string' ? value : '')
  })
  if (body !== '') return { method: pattern.case.toUpperCase(), path, body: JSON.stringify(left) }
  const query = new URLSearchParams(
    Object.entries(left).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)])),
  ).toString()
  return { method: pattern.case.toUpperCase(), path: query === '' ? path : `${path}?${query}`, body: undefined }
}

/** Whether a method takes `If-Match`: by its own form, or as an update or a deletion in a service whose objects have tags. */
export function takesVersion(method: DescMethodUnary): boolean {
  if (hasOption(method, http_form)) return getOption(method, http_form).ifMatch
  return getOption(method.parent, entity_tags) && /^(?:Update|Delete)[A-Z]/.test(method.name)
}

/** The request as a command for a shell, with the token in `$TOKEN`. */
export function curlFor(request: HttpRequest, baseUrl: string, headers: Readonly<Record<string, string>>): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = [
    `curl -s -X ${request.method} ${quote(baseUrl + request.path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(request.body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quote(request.body)}`]),
  ]
  return parts.join(' \\\n  ')
}
