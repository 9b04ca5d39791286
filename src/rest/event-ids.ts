import { type DescField, type DescMethod, type Message, ScalarType } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { findByProtoName } from './field-path.js'
import type { RestTranscoderOptions } from './options.js'

/** How a stream of Server-Sent Events is resumed (HTML, 9.2.4). */
export interface EventIds {
  /** The id of the event of a message. */
  readonly of: (message: Message) => string
  /** Has a request continue after the event with an id. */
  readonly resume: (message: ReflectMessage, lastEventId: string) => void
}

/** Resolves the fields that the `eventIds` option names for a method; adds to `faults` those that are no texts. */
export function compileEventIds(
  method: DescMethod,
  options: RestTranscoderOptions,
  faults: string[],
): EventIds | undefined {
  const names = options.eventIds?.(method)
  if (names === undefined) return undefined
  const { input, output } = method
  const [id, last] = [findByProtoName(output, names.id), findByProtoName(input, names.lastId)]
  if (id?.scalar !== ScalarType.STRING || last?.scalar !== ScalarType.STRING || isList(id) || isList(last)) {
    faults.push(`eventIds: ${names.id} of ${output.typeName} and ${names.lastId} of ${input.typeName} must be strings`)
    return undefined
  }
  return {
    of: (message) => {
      const value: unknown = reflect(output, message).get(id)
      return typeof value === 'string' ? value.replace(LINE_END, ' ') : ''
    },
    resume: (message, lastEventId) => message.set(last, lastEventId),
  }
}

/** Characters that would end the line of an id, or have it ignored. */
const LINE_END = /[\r\n\0]/g

const isList = ({ fieldKind }: DescField) => fieldKind !== 'scalar'
