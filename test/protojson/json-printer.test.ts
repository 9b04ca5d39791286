import { create, equals, isMessage, toBinary, toJsonString } from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { AppInstanceSchema, ListAppInstancesResponseSchema } from '../../gen/svc/v2/app_instance_pb.js'
import { preprintedMessage, printJson } from '../../src/protojson/json-printer.js'

const options = [{}, { alwaysEmitImplicit: true }, { useProtoFieldName: true, alwaysEmitImplicit: true }]
const instances = ['first', 'second "quoted"'].map((id) => create(AppInstanceSchema, { id, tagIds: [id] }))

describe.each(options)('the printer with %o', (given) => {
  it('matches the standard printer if nothing is preprinted', () => {
    const message = create(ListAppInstancesResponseSchema, { data: instances, nextPageToken: 'next' })
    expect(printJson(ListAppInstancesResponseSchema, message, given)).toBe(
      toJsonString(ListAppInstancesResponseSchema, message, given),
    )
  })

  it('prints long text as UTF-8 without joining it', () => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      create(AppInstanceSchema, { id: `é-${index}`, name: '\u{1f680}' }),
    )
    const standard = create(ListAppInstancesResponseSchema, { data: many, nextPageToken: 'ü' })
    const text = toJsonString(ListAppInstancesResponseSchema, standard, given)
    const preprinted = preprintedMessage(ListAppInstancesResponseSchema, [text.slice(0, 9), text.slice(9)])
    for (const message of [standard, preprinted]) {
      const bytes = printJson(ListAppInstancesResponseSchema, message, given)
      expect(bytes).toBeInstanceOf(Uint8Array)
      expect(Buffer.from(bytes).toString()).toBe(text)
    }
  })
})

describe('a preprinted message', () => {
  const standard = create(ListAppInstancesResponseSchema, { data: instances, nextPageToken: 'next' })
  const text = toJsonString(ListAppInstancesResponseSchema, standard, { alwaysEmitImplicit: true })
  const preprinted = () => preprintedMessage(ListAppInstancesResponseSchema, [text.slice(0, 9), text.slice(9)])

  it('is printed as its text, which is never parsed', async () => {
    const unread = await Promise.resolve(preprintedMessage(ListAppInstancesResponseSchema, ['not ', 'JSON']))
    expect(isMessage(unread, ListAppInstancesResponseSchema)).toBe(true)
    expect(printJson(ListAppInstancesResponseSchema, unread, {}, '!')).toBe('not JSON!')
  })

  it('behaves like the message of its text for everything but the printer', () => {
    const message = preprinted()
    expect(message.data.map(({ id }) => id)).toEqual(instances.map(({ id }) => id))
    expect(Object.keys(message).toSorted()).toEqual(Object.keys(standard).toSorted())
    expect(equals(ListAppInstancesResponseSchema, preprinted(), standard)).toBe(true)
    expect(toBinary(ListAppInstancesResponseSchema, preprinted())).toEqual(
      toBinary(ListAppInstancesResponseSchema, standard),
    )
  })

  it('is printed in its current form once it was accessed', () => {
    const message = preprinted()
    message.data.pop()
    message.nextPageToken = 'other'
    expect(JSON.parse(String(printJson(ListAppInstancesResponseSchema, message, {})))).toMatchObject({
      data: [{ id: 'first' }],
      nextPageToken: 'other',
    })
  })

  it('ignores fields unknown to this build', () => {
    const later = preprintedMessage(ListAppInstancesResponseSchema, ['{"nextPageToken":"next","later":1}'])
    expect(later.nextPageToken).toBe('next')
  })
})
