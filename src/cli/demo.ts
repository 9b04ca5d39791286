import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../db/database.js'
import { packageRoot } from '../db/package-root.js'
import type { Sql } from '../db/sql.js'
import { createSecretHasher } from '../domain/secret-hash.js'
import { isEmpty } from '../domain/transfer/is-empty.js'
import { createUserToken } from '../domain/user-token.js'
import { importRecords } from '../handlers/transfer/import-records.js'
import type { CommandContext } from './command-context.js'

const demoFile = join('demo', 'organization.ndjson')
const organizationId = 'org_acme'

/** Loads the demo organization, unless the database holds anything already. */
export async function loadDemo(database: Database, { runtime, log }: CommandContext): Promise<void> {
  if (!(await isEmpty(database))) return
  await importRecords(database, createReadStream(join(packageRoot(), demoFile)), { runtime })
  log.info('loaded the demo organization')
}

/** Prints requests to paste, with a token that works, where the database holds the demo organization. */
export async function writeDemoRequests(origin: string, database: Database, context: CommandContext): Promise<void> {
  const ids = await demoIds(database)
  if (ids === undefined) return
  const hasher = createSecretHasher(context.config.secretPepper)
  const { token, expiresAt } = await createUserToken(
    { database, hasher, runtime: context.runtime },
    { userId: ids.admin, organizationId },
  )
  context.stdout.write(`
Requests to paste, as an administrator of the demo organization (until ${expiresAt.toISOString()}):

${demoRequests(origin, token, ids).join('\n\n')}

API keys of its own: npx svc keys create --org ${organizationId}
`)
}

/** What the requests name; one of each kind, the first that was made. */
interface DemoIds {
  readonly admin: string
  readonly team: string
  readonly accessPolicy: string
  readonly appResource: string
  readonly priority: string
  readonly journey: string
  readonly entityType: string
}

const selectDemoIds = `
SELECT (SELECT user_id FROM memberships
         WHERE organization_id = o.id AND role = 'ORG_ADMIN' AND deactivated_at IS NULL
         ORDER BY ordinal LIMIT 1) AS admin,
       t.id AS team,
       (SELECT id FROM access_policies WHERE team_id = t.id ORDER BY ordinal LIMIT 1) AS "accessPolicy",
       (SELECT id FROM app_resources WHERE team_id = t.id ORDER BY ordinal LIMIT 1) AS "appResource",
       (SELECT id FROM priorities WHERE team_id = t.id ORDER BY ordinal LIMIT 1) AS priority,
       (SELECT id FROM journeys WHERE organization_id = o.id ORDER BY ordinal LIMIT 1) AS journey,
       (SELECT id FROM entity_types WHERE team_id = t.id ORDER BY ordinal LIMIT 1) AS "entityType"
  FROM organizations o
  JOIN LATERAL (SELECT id FROM teams WHERE organization_id = o.id ORDER BY ordinal LIMIT 1) t ON true
 WHERE o.id = $1`

async function demoIds(sql: Sql): Promise<DemoIds | undefined> {
  const [row] = await sql.query<{ [Name in keyof DemoIds]: string | null }>(selectDemoIds, [organizationId])
  return row !== undefined && isComplete(row) ? row : undefined
}

function isComplete(row: { [Name in keyof DemoIds]: string | null }): row is { [Name in keyof DemoIds]: string } {
  return Object.values(row).every((id) => id !== null)
}

function demoRequests(origin: string, token: string, ids: DemoIds): string[] {
  const bearer = `-H 'Authorization: Bearer ${token}'`
  const get = (path: string) => `curl -s '${origin}${path}' ${bearer}`
  const send = (method: string, path: string, body: unknown) =>
    `curl -s -X ${method} '${origin}${path}' ${bearer} \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  return [
    get(`/v2/journeys/${ids.journey}`),
    get(`/v2/app-instances?teamId=${ids.team}`),
    get(`/v2/entity-ingestion-configs?teamId=${ids.team}`),
    get(`/v2/entity-field-mappings?entityTypeId=${ids.entityType}`),
    get(`/v2/teams/${ids.team}/sla-definitions`),
    get('/v2/users'),
    send('PATCH', `/v2/priorities/${ids.priority}`, { isAiSelectable: true }),
    send('PUT', '/v2/app-resources/batch', { resources: [{ id: ids.appResource, description: 'Changed by hand' }] }),
    send('POST', `/v2/access-policies/${ids.accessPolicy}/approval-procedures`, {
      stages: [{ steps: [{ approvers: [{ manager: {}, notify: true }] }] }],
    }),
    send('POST', '/svc.v2.JourneyService/GetJourney', { id: ids.journey }),
    `npx buf curl --protocol grpc --http2-prior-knowledge ${bearer} \\\n  -d '${JSON.stringify({ id: ids.journey })}' ${origin}/svc.v2.JourneyService/GetJourney`,
  ]
}
