import { getOption } from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../src/handlers/routes.js'
import { reservedIdFault } from '../../src/limits/reserved-id.js'

const paths = services.flatMap(({ methods }) =>
  methods.flatMap((method) => {
    const { value } = getOption(method, http).pattern
    return typeof value === 'string' ? value : []
  }),
)

describe('an id that would mean something else in a path', () => {
  it.each(['-', '.', '..', 'batch'])('%s is reserved', (id) => {
    expect(reservedIdFault(id)).toContain(`must not be "${id}"`)
  })

  it.each(['Batch', 'batch-1', '--', '...', 'users', 'me', 'v2', 'members', 'a:deactivate'])('%s is not', (id) => {
    expect(reservedIdFault(id)).toBeUndefined()
  })

  it('is each word that a path of the schema has where another one has an id', () => {
    const patterns = paths.map((path) => new RegExp(`^${path.replace(/:\w+$/, '').replace(/\{\w+\}/g, '([^/:]+)')}$`))
    const literal = paths.filter((path) => !/[{:]/.test(path))
    const words = literal.flatMap((path) =>
      patterns.flatMap((pattern) => (pattern.test(path) ? (pattern.exec(path)?.slice(1) ?? []) : [])),
    )
    expect(words).toContain('batch')
    for (const word of words) expect(reservedIdFault(word)).toBeDefined()
  })
})
