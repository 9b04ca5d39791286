import { describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { admin, id, service, useUsers } from '../support/users.js'

useUsers()

/** Characters of four bytes each, of which no two neighbours repeat, so that nothing makes them shorter. */
const longest = (length: number) =>
  Array.from({ length }, (_, index) => String.fromCodePoint(0x2_0000 + ((index * 7919) % 40_000))).join('')

const texts = {
  firstName: longest(255),
  lastName: longest(255),
  department: longest(255),
  jobTitle: longest(255),
}

describe('the longest texts of a profile, in four-byte characters', () => {
  it.each([
    ['PUT', '/v2/users/', {}],
    ['POST', '/svc.v2.UserService/UpdateUser', { 'connect-protocol-version': '1' }],
  ])('are stored by %s %s and read back', async (method, path, headers) => {
    const response = await fetch(`${service.baseUrl}${path}${method === 'PUT' ? id : ''}`, {
      method,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...(method === 'POST' && { id }), ...texts }),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { data: { id } }])
    const user = await fetch(`${service.baseUrl}/v2/users/${id}`, { headers: { authorization: `Bearer ${admin}` } })
    expect(await user.json()).toMatchObject({ data: texts })
  })

  it('are imported', async () => {
    const user = { id: 'longest', organizationId: 'acme', email: 'longest@example.com', ...texts }
    const { status, stdout } = await runInProcess(['import', '-'], {
      env: service.testDatabase.environment,
      stdin: `${JSON.stringify({ user })}\n`,
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining('1 new')])
  })
})
