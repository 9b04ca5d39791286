import type { DemoIds } from '../store/demo.js'

export const demoOrganizationId = 'org_acme'

/** Commands to paste into bash or zsh, as an administrator of the demo whose token is in `$TOKEN`; repeatable. */
export function demoRequests(origin: string, ids: DemoIds) {
  const bearer = '-H "Authorization: Bearer $TOKEN"'
  const get = (path: string) => `curl -s '${origin}${path}' ${bearer}`
  const send = (method: string, path: string, body: unknown) =>
    `curl -s -X ${method} '${origin}${path}' ${bearer} \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  return [
    {
      title:
        'Update a user. Fields that the directory supplies are skipped, the others are written, and the response shows both:',
      command: send('PUT', `/v2/users/${ids.directoryMember}`, { department: 'Sales', timezone: 'Europe/Paris' }),
    },
    {
      title: 'Set a manager without taking ownership of the field:',
      command: send('POST', '/v2/user-relationships', {
        userId: ids.pinnedMember,
        relatedUserId: ids.admin,
        pin: false,
      }),
    },
    { title: 'Read a journey as one consistent snapshot:', command: get(`/v2/journeys/${ids.journey}`) },
    {
      title: 'List the app instances that a team owns or that are shared with it:',
      command: get(`/v2/app-instances?teamId=${ids.team}`),
    },
    {
      title: 'Change one field of a priority:',
      command: send('PATCH', `/v2/priorities/${ids.priority}`, { isAiSelectable: true }),
    },
    {
      title: 'The same methods over Connect:',
      command: send('POST', '/svc.v2.JourneyService/GetJourney', { id: ids.journey }),
    },
    {
      title: 'And over gRPC; run it in this folder. The server reflects its schema:',
      command: `npx buf curl --protocol grpc --http2-prior-knowledge ${bearer} \\\n  -d '${JSON.stringify({ id: ids.journey })}' ${origin}/svc.v2.JourneyService/GetJourney`,
    },
  ]
}
