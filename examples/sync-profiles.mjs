// A connected app publishes profiles and looks at what was left alone: SVC_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET in
// the environment.
import { createClient, IngestionOutcome, UserProfileField } from '@svc-admin/client'
import { reportInOneLine } from './report.mjs'
import { settingsFrom } from './settings.mjs'

reportInOneLine()
const [baseUrl, clientId, clientSecret] = settingsFrom('SVC_URL', 'SVC_CLIENT_ID', 'SVC_CLIENT_SECRET')
const svc = createClient({ baseUrl, credentials: { clientId, clientSecret } })
const profile = { externalId: 'hr-1001', email: 'ada.sync@example.com', firstName: 'Ada', department: 'Research' }

async function publish(profiles) {
  const { data } = await svc.userIngestion.ingestUserProfiles({ source: 'hr', profiles })
  for (const result of data) {
    const skipped = result.skippedPinnedFields.map((field) => UserProfileField[field])
    if (result.refusal) throw new Error(`${result.externalId}: ${result.refusal.message}`)
    console.log(`${result.externalId}: ${IngestionOutcome[result.outcome]}, pinned: ${skipped.join(' ') || 'none'}`)
  }
  return data[0].userId
}

const userId = await publish([profile])
await publish([profile])

// A deliberate edit: from now on the department is what was written here, whatever the source says.
await svc.users.updateUser({
  id: userId,
  department: 'Engineering',
  pinFields: [UserProfileField.DEPARTMENT],
})
await publish([{ ...profile, department: 'Sales' }])
