// A program lists all app instances of a team with an API key: SVC_URL, SVC_CLIENT_ID, SVC_CLIENT_SECRET and SVC_TEAM
// in the environment. The client fetches access tokens and follows the pages.
import { createClient, eachItem } from 'svc/client'

const { SVC_URL = '', SVC_CLIENT_ID = '', SVC_CLIENT_SECRET = '', SVC_TEAM = '' } = process.env
const svc = createClient({
  baseUrl: SVC_URL,
  credentials: { clientId: SVC_CLIENT_ID, clientSecret: SVC_CLIENT_SECRET },
})

const pageOf = (pageToken) => svc.appInstances.listAppInstances({ teamId: SVC_TEAM, pageSize: 1, pageToken })
for await (const instance of eachItem(pageOf)) {
  console.log(`${instance.id} ${instance.name}`)
}
