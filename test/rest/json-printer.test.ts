import {
  create,
  type DescMessage,
  equals,
  isMessage,
  type MessageShape,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { AppInstanceSchema, ListAppInstancesResponseSchema } from '../../gen/svc/v2/app_instance_pb.js'
import {
  GetJourneyResponseSchema,
  HealthCheckSchema,
  JourneySchema,
  JourneyTaskSchema,
} from '../../gen/svc/v2/journey_pb.js'
import { createJsonPrinter } from '../../src/protojson/json-printer.js'
import { preprintedList } from '../../src/protojson/preprinted-list.js'
import { preprintedMessage } from '../../src/protojson/preprinted-message.js'

const options = [{}, { alwaysEmitImplicit: true }, { useProtoFieldName: true, alwaysEmitImplicit: true }]
const instances = ['first', 'second "quoted"'].map((id) => create(AppInstanceSchema, { id, tagIds: [id] }))

/** The text of the array as the standard printer gives it, in pieces. */
function arrayText<Desc extends DescMessage>(desc: Desc, items: MessageShape<Desc>[], given: object): string[] {
  return ['[', items.map((item) => toJsonString(desc, item, given)).join(','), ']']
}

function neverRead(): never {
  throw new Error('the messages were made')
}

describe.each(options)('the printer with %o', (given) => {
  it('gives what the standard printer gives where nothing is preprinted', () => {
    const message = create(ListAppInstancesResponseSchema, { data: instances, nextPageToken: 'next' })
    expect(createJsonPrinter(ListAppInstancesResponseSchema, given)(message)).toBe(
      toJsonString(ListAppInstancesResponseSchema, message, given),
    )
  })

  it('gives the same bytes with a preprinted list, and does not make its messages', () => {
    const standard = create(ListAppInstancesResponseSchema, { data: instances, nextPageToken: 'next' })
    const message = create(ListAppInstancesResponseSchema, { nextPageToken: 'next' })
    message.data = preprintedList(arrayText(AppInstanceSchema, instances, given), neverRead)
    expect(createJsonPrinter(ListAppInstancesResponseSchema, given)(message)).toBe(
      toJsonString(ListAppInstancesResponseSchema, standard, given),
    )
  })

  it('gives UTF-8 where the text is long, without joining it', () => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      create(AppInstanceSchema, { id: `é-${index}`, name: '\u{1f680}' }),
    )
    const standard = create(ListAppInstancesResponseSchema, { data: many, nextPageToken: 'ü' })
    const message = create(ListAppInstancesResponseSchema, { nextPageToken: 'ü' })
    message.data = preprintedList(arrayText(AppInstanceSchema, many, given), neverRead)
    const bytes = createJsonPrinter(ListAppInstancesResponseSchema, given)(message)
    expect(bytes).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(bytes).toString()).toBe(toJsonString(ListAppInstancesResponseSchema, standard, given))
  })

  it('finds preprinted lists in the messages of singular fields, and prints around them in order', () => {
    const tasks = ['a', 'b'].map((name) => create(JourneyTaskSchema, { name, dueDate: { year: 2026 } }))
    const healthChecks = [create(HealthCheckSchema, { id: 'c' })]
    const fields = { id: 'j', name: 'J', healthCheckCounts: { totalCount: 1 }, customFields: [{ fieldId: 'f' }] }
    const standard = create(GetJourneyResponseSchema, { data: { ...fields, tasks, healthChecks } })
    const data = create(JourneySchema, fields)
    data.tasks = preprintedList(arrayText(JourneyTaskSchema, tasks, given), neverRead)
    data.healthChecks = preprintedList(arrayText(HealthCheckSchema, healthChecks, given), neverRead)
    const message = create(GetJourneyResponseSchema)
    message.data = data
    const text = createJsonPrinter(GetJourneyResponseSchema, given)(message)
    expect(text).toBe(toJsonString(GetJourneyResponseSchema, standard, given))
    expect(message.data).toBe(data)
  })
})

describe('a preprinted message', () => {
  const standard = create(ListAppInstancesResponseSchema, { data: instances, nextPageToken: 'next' })
  const text = toJsonString(ListAppInstancesResponseSchema, standard, { alwaysEmitImplicit: true })
  const preprinted = () => preprintedMessage(ListAppInstancesResponseSchema, [text.slice(0, 9), text.slice(9)])

  it('is printed as its text, which is not read on the way there', async () => {
    const unread = await Promise.resolve(preprintedMessage(ListAppInstancesResponseSchema, ['not ', 'JSON']))
    expect(isMessage(unread, ListAppInstancesResponseSchema)).toBe(true)
    expect(createJsonPrinter(ListAppInstancesResponseSchema, {}, '!')(unread)).toBe('not JSON!')
  })

  it('is the message of its text to everything but the printer', () => {
    const message = preprinted()
    expect(message.data.map(({ id }) => id)).toEqual(instances.map(({ id }) => id))
    expect(Object.keys(message).toSorted()).toEqual(Object.keys(standard).toSorted())
    expect(equals(ListAppInstancesResponseSchema, preprinted(), standard)).toBe(true)
    expect(toBinary(ListAppInstancesResponseSchema, preprinted())).toEqual(
      toBinary(ListAppInstancesResponseSchema, standard),
    )
  })

  it('is printed as it is once somebody has looked into it', () => {
    const message = preprinted()
    message.data.pop()
    message.nextPageToken = 'other'
    expect(JSON.parse(String(createJsonPrinter(ListAppInstancesResponseSchema, {})(message)))).toMatchObject({
      data: [{ id: 'first' }],
      nextPageToken: 'other',
    })
  })

  it('passes over fields that this build does not know', () => {
    const later = preprintedMessage(ListAppInstancesResponseSchema, ['{"nextPageToken":"next","later":1}'])
    expect(later.nextPageToken).toBe('next')
  })
})

describe('a preprinted list', () => {
  const standard = create(ListAppInstancesResponseSchema, { data: instances })
  const preprinted = (read = () => [...instances]) => {
    const message = create(ListAppInstancesResponseSchema)
    message.data = preprintedList(arrayText(AppInstanceSchema, instances, {}), read)
    return message
  }

  it('is the list of its messages to everything but the printer', () => {
    const { data } = preprinted()
    expect(Array.isArray(data)).toBe(true)
    expect([data.length, data[1], 0 in data, 2 in data]).toEqual([2, instances[1], true, false])
    expect([...data]).toEqual(instances)
    expect(data.map(({ id }) => id)).toEqual(instances.map(({ id }) => id))
    expect(Object.keys(data)).toEqual(['0', '1'])
  })

  it('gives the same binary message', () => {
    expect(toBinary(ListAppInstancesResponseSchema, preprinted())).toEqual(
      toBinary(ListAppInstancesResponseSchema, standard),
    )
  })

  it('makes its messages once', () => {
    let reads = 0
    const { data } = preprinted(() => {
      reads++
      return [...instances]
    })
    expect([data.length, data.length, reads]).toEqual([2, 2, 1])
  })

  it('is printed as it is once it was changed', () => {
    const changes: ((data: (typeof standard)['data']) => unknown)[] = [
      (data) => data.pop(),
      (data) => data.push(create(AppInstanceSchema, { id: 'third' })),
      (data) => data.splice(0, 2),
      (data) => data.reverse(),
    ]
    for (const change of changes) {
      const [changed, expected] = [preprinted(), create(ListAppInstancesResponseSchema, { data: [...instances] })]
      change(changed.data)
      change(expected.data)
      expect(createJsonPrinter(ListAppInstancesResponseSchema, {})(changed)).toBe(
        toJsonString(ListAppInstancesResponseSchema, expected),
      )
    }
  })
})
