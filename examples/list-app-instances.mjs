// A program lists all app instances of a team with an API key: SVC_URL, SVC_CLIENT_ID, SVC_CLIENT_SECRET and SVC_TEAM
// in the environment. The client fetches access tokens and follows the pages.
import { createClient, eachItem } from '@svc-admin/client'
import { reportInOneLine } from './report.mjs'
import { settingsFrom } from './settings.mjs'

reportInOneLine()
const [baseUrl, clientId, clientSecret, teamId] = settingsFrom(
  'SVC_URL',
  'SVC_CLIENT_ID',
  'SVC_CLIENT_SECRET',
  'SVC_TEAM',
)
const svc = createClient({ baseUrl, credentials: { clientId, clientSecret } })

const pageOf = (pageToken) => svc.appInstances.listAppInstances({ teamId, pageSize: 1, pageToken })
for await (const instance of eachItem(pageOf)) {
  console.log(`${instance.id} ${instance.name}`)
}
