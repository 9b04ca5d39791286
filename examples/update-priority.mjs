// A person renames a priority: SVC_URL, SVC_TOKEN (a user token) and SVC_PRIORITY in the environment.
import { ConnectError, createClient, faultsOf, reasonOf } from 'svc/client'

const { SVC_URL = '', SVC_TOKEN = '', SVC_PRIORITY = '' } = process.env
const svc = createClient({ baseUrl: SVC_URL, credentials: { token: SVC_TOKEN } })

const { data } = await svc.priorities.updatePriority({ id: SVC_PRIORITY, name: 'Drop everything' })
console.log(`${data.scopedId} is now called ${data.name}`)

try {
  await svc.priorities.updatePriority({ id: SVC_PRIORITY, name: '' })
} catch (error) {
  if (!(error instanceof ConnectError)) throw error
  console.log(`refused: ${reasonOf(error)}`)
  for (const fault of faultsOf(error)) console.log(`  ${fault.field}: ${fault.description}`)
}
