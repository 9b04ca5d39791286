import { createReadStream, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { importRecords } from '../../src/transfer/import-records.js'
import { insertApiKey } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

type Json = Readonly<Record<string, unknown>>

const file = 'demo/organization.ndjson'
const lines: readonly Json[] = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** The records of one kind, without what only files have. */
function recordsOf(kind: string, ...placing: string[]): Json[] {
  return lines.flatMap((line) => {
    const record = line[kind]
    if (typeof record !== 'object' || record === null) return []
    return [Object.fromEntries(Object.entries(record).filter(([name]) => !placing.includes(name)))]
  })
}

function idsOf(records: readonly Json[]): string[] {
  return records.map(({ id }) => String(id))
}

describe('an imported resource', () => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await importRecords(service.database, createReadStream(file), { runtime: service.runtime })
    const [organizationId = ''] = idsOf(recordsOf('organization'))
    token = (await insertApiKey(service.database, { organizationId })).token
  })
  afterAll(() => service.stop())

  /** The lists of several requests as one. */
  const listed = async (paths: readonly string[]): Promise<Json[]> => {
    const answers = await Promise.all(paths.map((path) => service.rest('GET', path, { token })))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
    return answers.flatMap(({ json }) => json.data)
  }
  const expectAnswered = (answered: readonly Json[], records: readonly Json[]) => {
    expect(records.length).toBeGreaterThan(0)
    for (const record of records) {
      expect(answered.find(({ id }) => id === record['id'])).toMatchObject(record)
    }
  }

  it('is returned as an app instance in the lists of its teams', async () => {
    const paths = idsOf(recordsOf('team')).map((id) => `/v2/app-instances?teamId=${id}`)
    expectAnswered(await listed(paths), recordsOf('appInstance', 'sharedWithTeamIds'))
  })

  it('is returned as a journey', async () => {
    const journeys = recordsOf('journey')
    const answers = await Promise.all(idsOf(journeys).map((id) => service.rest('GET', `/v2/journeys/${id}`, { token })))
    expectAnswered(
      answers.map(({ json }) => json.data),
      journeys,
    )
  })

  it('is returned as an ingestion config, field mapping or SLA definition', async () => {
    const teamIds = idsOf(recordsOf('team'))
    const configs = await listed(teamIds.map((id) => `/v2/entity-ingestion-configs?teamId=${id}`))
    expectAnswered(configs, recordsOf('entityIngestionConfig'))
    const types = idsOf(recordsOf('entityType'))
    const mappings = await listed(types.map((id) => `/v2/entity-field-mappings?entityTypeId=${id}`))
    expectAnswered(mappings, recordsOf('entityFieldMapping', 'entityTypeId'))
    const definitions = await listed(teamIds.map((id) => `/v2/teams/${id}/sla-definitions`))
    expectAnswered(definitions, recordsOf('slaDefinition'))
  })
})
