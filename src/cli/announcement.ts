import type { Command } from 'commander'
import type { Database } from '../db/database.js'
import { runningServers } from '../db/server-presence.js'
import { CONSOLE_PATH } from '../http/console.js'
import { packageRoot } from '../package.js'
import { findDemoIds } from '../store/demo.js'
import { firstOrganizationId } from '../store/organization.js'
import { aligned, answer, type CommandContext, dataFolderOf, type JsonOption } from './command-context.js'
import { demoOrganizationId, demoRequests } from './demo-requests.js'
import { demoToken } from './demo-token.js'

type Announcement = ReturnType<Awaited<ReturnType<typeof prepareAnnouncement>>>

/**
 * Reads what an announcement needs from a database, and returns the function that writes it; requests go to the first
 * server.
 */
export async function prepareAnnouncement(database: Database, context: CommandContext) {
  const { config } = context
  const announceDemo = await prepareDemo(database, context)
  const isEmpty = (await firstOrganizationId(database)) === undefined
  return (origins: readonly [string, ...string[]]) => {
    const demo = announceDemo?.(origins[0])
    const [org, user] = demo === undefined ? ['ID', 'ID'] : [demoOrganizationId, demo.userId]
    return {
      /** Base addresses of the servers, and of their pages for people and for balancers. */
      servers: origins.map((url) => ({
        url,
        /** Absent if the console is turned off. */
        ...(config.console && { console: `${url}${CONSOLE_PATH}` }),
        docs: `${url}/docs`,
        ready: `${url}/readyz`,
      })),
      database: config.databaseUrl === undefined ? dataFolderOf(config) : 'DATABASE_URL',
      /** Absent if the database does not contain the demo organization. */
      demo,
      /** Further commands, in the folder of the package. */
      commands: [
        ...(isEmpty ? [{ title: 'a first organization', command: 'npx svc init --org NAME --admin EMAIL' }] : []),
        { title: 'an API key for a program', command: `npx svc keys create --org ${org}` },
        { title: 'a token for a person', command: `npx svc tokens create --org ${org} --user ${user}` },
        { title: 'your own data (docs/importing.md)', command: 'npx svc import FILE' },
        { title: 'show all of this again', command: 'npx svc status' },
      ],
    }
  }
}

/** A live token of an administrator of the demo organization, and requests with it in `$TOKEN`. */
async function prepareDemo(database: Database, context: CommandContext) {
  const ids = await findDemoIds(database, demoOrganizationId)
  if (ids === undefined) return undefined
  const holder = { userId: ids.admin, organizationId: demoOrganizationId }
  const { token, expiresAt } = await demoToken(database, context, holder)
  return (origin: string) => ({
    userId: ids.admin,
    token,
    expiresAt,
    /** Opens the console, signed in. The fragment stays in the browser. */
    ...(context.config.console && { signInLink: `${origin}${CONSOLE_PATH}#token=${token}` }),
    requests: demoRequests(origin, ids),
  })
}

export function textFromAnnouncement({ servers, database, demo, commands }: Announcement): string {
  return [
    servers
      .map(({ url, console, docs, ready }) =>
        [
          `svc listens on ${url}\n`,
          ...(console === undefined ? [] : [`  console    ${console}`]),
          `  reference  ${docs}`,
          `  ready?     ${ready}`,
        ].join('\n'),
      )
      .join('\n\n'),
    `\n  data       ${database}\n\n`,
    demo === undefined ? '' : textFromDemo(demo),
    `In ${packageRoot()}:\n\n`,
    aligned(commands.map(({ title, command }) => [`  ${command}`, title])),
  ].join('')
}

function textFromDemo({ userId, token, expiresAt, signInLink, requests }: NonNullable<Announcement['demo']>): string {
  return [
    signInLink === undefined ? '' : `To open the console as ${userId}:\n\n  ${signInLink}\n\n`,
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
    .action((options: JsonOption) =>
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

export async function announceRunning(database: Database, context: CommandContext): Promise<Announcement | undefined> {
  const [first, ...others] = await runningServers(database)
  return first === undefined ? undefined : (await prepareAnnouncement(database, context))([first, ...others])
}
