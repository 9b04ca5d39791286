import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { insertFixture } from './fixture.js'
import { connectDirectory, ENTERPRISE, GROUP, type ScimClient, type ScimTestAnswer, USER } from './scim.js'
import { startTestService, type TestService } from './service.js'

/** The subject of a sentence: a user with every attribute, who is the only member of a group. */
export interface SentencePlace {
  readonly directory: ScimClient
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly user: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly group: any
  /** The path of the user. */
  readonly path: string
  /** Different in every sentence. */
  readonly serial: number
}

type SentRequest = readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]

/**
 * A sentence of an RFC on service providers: its section, its requirement in our words, a request, its status, and what
 * is expected of the response: a part of its body, or a function that checks it.
 */
export type Sentence = readonly [
  section: string,
  wants: string,
  request: (place: SentencePlace) => SentRequest,
  status: number,
  expected?: object | ((answer: ScimTestAnswer, place: SentencePlace) => void | Promise<void>),
]

/** Tests each sentence in an organization that has one more user and group than for the previous one. */
export function describeSentences(rfc: string, sentences: readonly Sentence[]): void {
  describe(rfc, () => {
    let service: TestService
    let directory: ScimClient
    let serial = 0
    beforeAll(async () => {
      service = await startTestService()
      await insertFixture(service.database)
      directory = await connectDirectory(service)
    })
    afterAll(() => service.stop())

    const place = async (): Promise<SentencePlace> => {
      serial += 1
      const user = await directory.add(wholeUser(serial))
      const group = { schemas: [GROUP], displayName: `Group ${serial}`, members: [{ value: user.id }] }
      const { body } = await directory.send('POST', '/Groups', group)
      return { directory, user, group: body, path: `/Users/${user.id}`, serial }
    }

    it.each(sentences)('%s: %s', async (_, __, request, status, expected = {}) => {
      const tried = await place()
      const answer = await directory.send(...request(tried))
      expect([answer.status, answer.body]).toEqual([status, answer.body])
      if (typeof expected === 'function') await expected(answer, tried)
      else if (Object.keys(expected).length > 0) expect(answer.body).toMatchObject(expected)
    })
  })
}

/** A user with every attribute that can be written, different for every number. */
export function wholeUser(serial: number): Readonly<Record<string, unknown>> {
  return {
    schemas: [USER, ENTERPRISE],
    userName: `Login.${serial}`,
    externalId: `Ext-${serial}`,
    title: 'Analyst',
    locale: 'en-GB',
    active: true,
    name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Lady Ada' },
    displayName: `Ada ${serial}`,
    emails: [
      { value: `ada.${serial}@example.com`, type: 'work', primary: true },
      { value: `ada.${serial}@home.example`, type: 'home' },
    ],
    phoneNumbers: [{ value: `+1415555${1000 + serial}`, type: 'work' }],
    timezone: 'Europe/London',
    photos: [{ value: 'https://example.com/ada.png', type: 'photo' }],
    [ENTERPRISE]: { department: 'Engines' },
  }
}
