// A person renames a priority: SVC_URL, SVC_TOKEN (a user token) and SVC_PRIORITY in the environment.
import { ConnectError, createClient, faultsOf, reasonOf } from '@svc-admin/client'
import { reportInOneLine } from './report.mjs'
import { settingsFrom } from './settings.mjs'

reportInOneLine()
const [baseUrl, token, id] = settingsFrom('SVC_URL', 'SVC_TOKEN', 'SVC_PRIORITY')
const svc = createClient({ baseUrl, credentials: { token } })

const { data } = await svc.priorities.updatePriority({ id, name: 'Drop everything' })
console.log(`${data.scopedId} is now called ${data.name}`)

try {
  await svc.priorities.updatePriority({ id, name: '' })
} catch (error) {
  if (!(error instanceof ConnectError)) throw error
  console.log(`refused: ${reasonOf(error)}`)
  for (const fault of faultsOf(error)) console.log(`  ${fault.field}: ${fault.description}`)
}
