import { expect } from '@jest/globals'
import type { protocols, RequestJson } from './method-forms.js'
import { userMethodCaller } from './user-methods.js'
import { key, serial, service } from './users.js'

/** How many rows a table has. */
export const countOf = async (table: string) =>
  (await service.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`))[0]?.count

/** Ingestion through one protocol, of profiles that no other test uses: their names begin with the number of the test's member. */
export function ingestionOver(protocol: (typeof protocols)[number]) {
  const call = userMethodCaller(
    () => service,
    protocol,
    () => key,
  )
  const nameOf = (suffix = '') => `p${serial}${suffix}`
  const emailOf = (suffix = '') => `${nameOf(suffix)}@example.com`
  const ingestFrom = async (source: string, ...profiles: RequestJson[]) => {
    const { answer } = await call('ingest', { source, profiles })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    expect(answer.json.data.map((result: { externalId: string }) => result.externalId)).toEqual(
      profiles.map(({ externalId = '' }) => externalId),
    )
    return answer.json.data
  }
  return {
    call,
    nameOf,
    emailOf,
    profile: (fields: RequestJson = {}, suffix = ''): RequestJson => ({
      externalId: nameOf(suffix),
      email: emailOf(suffix),
      ...fields,
    }),
    ingestFrom,
    ingest: (...profiles: RequestJson[]) => ingestFrom('hris', ...profiles),
    userOf: async (userId: string) => (await call('getUser', { id: userId })).answer.json.data,
    outcomesOf: (results: { outcome: string }[]) =>
      results.map(({ outcome }) => outcome.replace('INGESTION_OUTCOME_', '')),
  }
}
