import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import { runningServers } from '../db/server-presence.js'
import { packageRoot } from '../package.js'
import { findDemoIds } from '../store/demo.js'
import { firstOrganizationId } from '../store/organization.js'
import { aligned, answer, type CommandContext, dataFolderOf } from './command-context.js'
import { demoOrganizationId, demoRequests, type ShownCommand } from './demo-requests.js'
import { demoToken } from './demo-token.js'

/** What people need for their first requests. */
interface Announcement {
  /** Base addresses of the servers, and of their pages for people and for balancers. */
  readonly servers: readonly { readonly url: string; readonly docs: string; readonly ready: string }[]
  /** Where the data is. */
  readonly database: string
  /** Absent if the database does not hold the demo organization. */
  readonly demo: DemoAnnouncement | undefined
  /** Further commands, in the folder of the package. */
  readonly commands: readonly ShownCommand[]
}

interface DemoAnnouncement {
  readonly userId: string
  /** A live token of that person. */
  readonly token: string
  readonly expiresAt: Date
  /** With the token in `$TOKEN`. */
  readonly requests: readonly ShownCommand[]
}

/** Composes the announcement of servers that run on a database; the requests go to the first one. */
export async function composeAnnouncement(
  origins: readonly [string, ...string[]],
  database: Database,
  context: CommandContext,
): Promise<Announcement> {
  const { config } = context
  const demo = await announceDemo(origins[0], database, context)
  const [org, user] = demo === undefined ? ['ID', 'ID'] : [demoOrganizationId, demo.userId]
  const isEmpty = (await firstOrganizationId(database)) === undefined
  return {
    servers: origins.map((url) => ({ url, docs: `${url}/docs`, ready: `${url}/readyz` })),
    database: config.databaseUrl === undefined ? dataFolderOf(config) : 'DATABASE_URL',
    demo,
    commands: [
      ...(isEmpty ? [{ title: 'a first organization', command: 'npx svc init --org NAME --admin EMAIL' }] : []),
      { title: 'an API key for a program', command: `npx svc keys create --org ${org}` },
      { title: 'a token for a person', command: `npx svc tokens create --org ${org} --user ${user}` },
      { title: 'your own data (docs/importing.md)', command: 'npx svc import FILE' },
      { title: 'show all of this again', command: 'npx svc status' },
    ],
  }
}

async function announceDemo(
  origin: string,
  database: Database,
  context: CommandContext,
): Promise<DemoAnnouncement | undefined> {
  const ids = await findDemoIds(database, demoOrganizationId)
  if (ids === undefined) return undefined
  const holder = { userId: ids.admin, organizationId: demoOrganizationId }
  const { token, expiresAt } = await demoToken(database, context, holder)
  return { userId: ids.admin, token, expiresAt, requests: demoRequests(origin, ids) }
}

/** The announcement for people. */
export function textFromAnnouncement({ servers, database, demo, commands }: Announcement): string {
  return [
    servers
      .map(({ url, docs, ready }) => `svc listens on ${url}\n\n  reference  ${docs}\n  ready?     ${ready}`)
      .join('\n\n'),
    `\n  data       ${database}\n\n`,
    demo === undefined ? '' : textFromDemo(demo),
    `In ${packageRoot()}:\n\n`,
    aligned(commands.map(({ title, command }) => [`  ${command}`, title])),
  ].join('')
}

function textFromDemo({ userId, token, expiresAt, requests }: DemoAnnouncement): string {
  return [
    `To paste into bash or zsh, as ${userId}, an administrator of the demo organization (until ${expiresAt.toISOString()}):\n\n`,
    `export TOKEN=${token}\n\n`,
    ...requests.map(({ title, command }) => `${title}\n${command}\n\n`),
  ].join('')
}

/** `svc status`: what the `svc serve` that runs on this data printed. Fails if none is running. */
export function registerStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('print again what the running "svc serve" printed')
    .option('--json', 'print one JSON object')
    .action((options: { readonly json?: true }) =>
      context.onDatabase(async (database) => {
        const announcement = await announceRunning(database, context)
        if (announcement === undefined) {
          const { config } = context
          const place = config.databaseUrl === undefined ? `the data in ${dataFolderOf(config)}` : 'DATABASE_URL'
          throw new Error(`no server is running on ${place}: start one with "npx svc serve"`)
        }
        // For programs, the members of `demo` are beside the others.
        const { demo, ...rest } = announcement
        answer(context, options, { ...rest, ...demo }, textFromAnnouncement(announcement))
      }),
    )
}

/** The announcement of the servers that run on a database; undefined if none does. */
export async function announceRunning(database: Database, context: CommandContext): Promise<Announcement | undefined> {
  const [first, ...others] = await runningServers(database)
  return first === undefined ? undefined : composeAnnouncement([first, ...others], database, context)
}
