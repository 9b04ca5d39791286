import { type DescMethod, getOption } from '@bufbuild/protobuf'
import type { Locator, Page } from 'playwright-core'
import { http } from '../../gen/google/api/annotations_pb.js'
import { services } from '../../src/handlers/routes.js'
import { onlyReads } from '../../src/limits/method-rules.js'

/** A write of the console: where it is, and how its dialog is opened and filled in until it could be sent. */
export interface ConsoleWrite {
  readonly method: string
  readonly path: string
  readonly open: (page: Page, dialog: Locator) => Promise<void>
  /** Whether it makes what a write of the same method changes elsewhere, so that there is no version yet. */
  readonly makesIt?: boolean
}

/** Every method that writes, by its local name. */
export const writingMethods: ReadonlyMap<string, DescMethod> = new Map(
  services
    .flatMap(({ methods }) => methods)
    .flatMap((method): [string, DescMethod][] => (onlyReads(method) ? [] : [[method.localName, method]])),
)

/** The method behind an HTTP request, of several the one with the fewest variables; undefined if none has it. */
export function methodAt(verb: string, path: string): string | undefined {
  const found = [...writingMethods].flatMap(([name, method]) => {
    const { pattern } = getOption(method, http)
    const template = typeof pattern.value === 'string' ? pattern.value : ''
    const parts = template.split(/\{\w+\}/)
    const isAsked = new RegExp(`^${parts.join('[^/?:]+')}(?:\\?|$)`).test(path)
    return isAsked && pattern.case?.toUpperCase() === verb ? [{ name, variables: parts.length }] : []
  })
  return found.toSorted((a, b) => a.variables - b.variables)[0]?.name
}

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })

/** Opens the dialog of a button. */
const press =
  (name: string): ConsoleWrite['open'] =>
  (page) =>
    button(page, name).click()

/** Opens the details of a delivery, and what a button there does about it. */
const fromDelivery =
  (name: string): ConsoleWrite['open'] =>
  async (page) => {
    await button(page, 'Details of Team updated, position 1').click()
    await button(page, name).click()
  }

/** Opens the form of a button, types into its first field and goes on to what it changes. */
const fill =
  (name: string): ConsoleWrite['open'] =>
  async (page, dialog) => {
    await button(page, name).click()
    await dialog.getByRole('textbox').first().fill('Something else')
    await dialog.getByRole('button', { name: /^Review/ }).click()
    await complete(dialog)
  }

/** Gives each field of a form that is still wrong a value, and goes on to what it changes. */
async function complete(dialog: Locator): Promise<void> {
  const wrong = dialog.locator('[aria-invalid=true]')
  await dialog.locator('[aria-invalid=true], table').first().waitFor()
  for (let tries = 0; (await wrong.count()) > 0 && tries < 20; tries++) {
    const field = wrong.first()
    if ((await field.getAttribute('role')) === 'combobox') {
      await field.click()
      await dialog.page().getByRole('option').first().click()
    } else if ((await field.locator('option').count()) > 0) await field.selectOption({ index: 1 })
    else await field.fill('60')
  }
  const review = dialog.getByRole('button', { name: /^Review/ })
  if (await review.isVisible()) await review.click()
}

/** Chooses a thing by its name in the field with the label. */
export async function pick(within: Locator, label: string, name: string): Promise<void> {
  await within.getByLabel(label, { exact: true }).focus()
  await within.getByRole('combobox', { name: label, exact: true }).fill(name)
  await within.page().getByRole('option', { name }).first().click()
}

/** Opens the dialog of a button and chooses a person, by name, in the field with the label. */
const choose =
  (name: string, label: string, person: string): ConsoleWrite['open'] =>
  async (page, dialog) => {
    await button(page, name).click()
    await pick(dialog, label, person)
  }

/** The writes of a resource with the standard methods; `list` is where one is created, `one` the path of one of them. */
function standard(
  name: string,
  { list, one, article = 'a' }: { readonly list: string; readonly one: string; readonly article?: string },
): ConsoleWrite[] {
  const type = name.replaceAll(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase())
  return [
    { method: `create${type}`, path: list, open: fill(`Create ${article} ${labels[name] ?? name}`) },
    { method: `update${type}`, path: one, open: fill('Edit') },
    ...(name === 'sla definition' ? [] : [{ method: `delete${type}`, path: one, open: press('Delete') }]),
  ]
}

const labels: Readonly<Record<string, string>> = {
  'sla definition': 'SLA',
  'app instance': 'app',
  'webhook endpoint': 'webhook',
  'access policy': 'policy',
  'entity ingestion config': 'ingestion config',
  'entity field mapping': 'field mapping',
}

const an = 'an'
const production = '/policies/policy_production'

/** Every write of the console, on the demo organization with a key, a webhook endpoint and a delivery of it. */
export function consoleWrites(made: {
  readonly keyId: string
  readonly endpointId: string
  readonly deliveryId: string
  readonly disabledEndpointId: string
}): readonly ConsoleWrite[] {
  const endpoint = `/webhooks/${made.endpointId}`
  const key = `/keys/${made.keyId}`
  return [
    ...standard('team', { list: '/teams', one: '/teams/team_it' }),
    {
      method: 'setTeamMember',
      path: '/teams/team_it',
      open: async (page, dialog) => {
        await button(page, 'Change the role of Chidi Okafor in IT Operations').click()
        await button(dialog, 'Review').click()
      },
    },
    {
      method: 'setTeamMember',
      path: '/teams/team_archive',
      makesIt: true,
      open: async (page, dialog) => {
        await choose('Give a role', 'Person', 'Goro Tanaka')(page, dialog)
        await button(dialog, 'Review').click()
      },
    },
    { method: 'removeTeamMember', path: '/teams/team_it', open: press('Remove Chidi Okafor from IT Operations') },
    ...standard('group', { list: '/groups', one: '/groups/group_security' }),
    { method: 'addGroupMember', path: '/groups/group_onboarding', open: choose('Add somebody', 'Person', 'Jonas') },
    {
      method: 'removeGroupMember',
      path: '/groups/group_onboarding',
      open: press('Remove Goro Tanaka from Onboarding Crew'),
    },
    ...standard('app instance', { list: '/apps?teamId=team_it', one: '/apps/app_forge', article: an }),
    {
      method: 'shareAppInstance',
      path: '/apps/app_vpn',
      open: async (page, dialog) => {
        await button(page, 'Share').click()
        await pick(dialog, 'Team', 'Archive')
      },
    },
    { method: 'unshareAppInstance', path: '/apps/app_forge', open: press('Stop sharing with People Operations') },
    {
      method: 'createAppResource',
      path: '/resources?appInstanceId=app_forge',
      open: fill('Create a resource'),
    },
    { method: 'batchUpdateAppResources', path: '/resources/resource_gripper', open: fill('Edit') },
    { method: 'deleteAppResource', path: '/resources/resource_gripper', open: press('Delete') },
    ...standard('access policy', { list: '/policies', one: production }),
    {
      method: 'createAccessPolicyApprovalProcedure',
      path: production,
      open: async (page, dialog) => {
        await button(page, 'Create a procedure').click()
        await button(dialog, 'Review').click()
      },
    },
    {
      method: 'updateAccessPolicyApprovalProcedure',
      path: production,
      open: async (page, dialog) => {
        await button(page, 'Edit the procedure').click()
        await button(dialog, 'Add a stage').click()
        await button(dialog, 'Review').click()
      },
    },
    { method: 'deleteAccessPolicyApprovalProcedure', path: production, open: press('Delete the procedure') },
    ...standard('priority', { list: '/priorities', one: '/priorities/pri_urgent' }),
    ...standard('sla definition', { list: '/slas?teamId=team_it', one: '/slas/sla_resolution', article: an }),
    { method: 'archiveSlaDefinition', path: '/slas/sla_resolution', open: press('Archive') },
    { method: 'unarchiveSlaDefinition', path: '/slas/sla_old_resolution', open: press('Put back in use') },
    ...standard('entity type', { list: '/entity-types', one: '/entity-types/type_person', article: an }),
    ...standard('entity ingestion config', {
      list: '/ingestion?teamId=team_people',
      one: '/ingestion/config_payroll_people',
      article: an,
    }),
    ...standard('entity field mapping', {
      list: '/mappings?entityTypeId=type_person',
      one: '/mappings/mapping_person_email',
    }),
    ...standard('webhook endpoint', { list: '/webhooks', one: endpoint }),
    { method: 'testWebhookEndpoint', path: endpoint, open: press('Send a test') },
    { method: 'disableWebhookEndpoint', path: endpoint, open: press('Disable') },
    { method: 'enableWebhookEndpoint', path: `/webhooks/${made.disabledEndpointId}`, open: press('Enable') },
    { method: 'recoverWebhookEndpoint', path: endpoint, open: press('Retry failed deliveries') },
    { method: 'replayWebhookEndpoint', path: endpoint, open: fromDelivery('Send everything again from here') },
    { method: 'rotateWebhookEndpointSecret', path: endpoint, open: press('Rotate the secret') },
    { method: 'resendWebhookDelivery', path: endpoint, open: fromDelivery('Resend') },
    {
      method: 'createUser',
      path: '/people',
      open: async (page, dialog) => {
        await button(page, 'Add a person').click()
        await dialog.getByLabel('Email').fill('newcomer@acme.example')
        await button(dialog, 'Review').click()
      },
    },
    { method: 'updateUser', path: '/people/user_hanna', open: fill('Edit') },
    {
      method: 'updateUser',
      path: '/people/user_hanna',
      open: async (page, dialog) => {
        await button(page, 'Change the email').click()
        await dialog.getByLabel('Email', { exact: true }).fill('h@acme.example')
        await button(dialog, 'Review').click()
      },
    },
    { method: 'updateUser', path: '/people/user_hanna', open: press('Pin First name') },
    { method: 'updateUser', path: '/people/user_hanna', open: press('Release Job title') },
    {
      method: 'createUserRelationship',
      path: '/people/user_hanna',
      open: choose('Change the manager', 'Manager', 'Ada'),
    },
    {
      method: 'createUserRelationship',
      path: '/people/user_ada',
      makesIt: true,
      open: choose('Change the manager', 'Manager', 'Emre'),
    },
    { method: 'createUserRelationship', path: '/people/user_hanna', open: press('Pin Manager') },
    {
      method: 'deleteUserRelationship',
      path: '/people/user_hanna',
      open: async (page, dialog) => {
        await button(page, 'Change the manager').click()
        await dialog.getByRole('combobox', { name: 'Manager' }).fill('')
      },
    },
    { method: 'deactivateUser', path: '/people/user_hanna', open: press('Deactivate') },
    { method: 'reactivateUser', path: '/people/user_oskar', open: press('Reactivate') },
    { method: 'endUserSessions', path: '/people/user_hanna', open: press('End sessions') },
    {
      method: 'batchUpdateUsers',
      path: '/people/changes',
      open: async (page) => {
        await page.getByLabel('Or paste its lines').fill('id,department\nuser_luca,Treasury')
        await button(page, 'Show the plan').click()
        await button(page, 'Change 1 person').click()
      },
    },
    {
      method: 'createApiKey',
      path: '/keys',
      open: async (page, dialog) => {
        await button(page, 'Create an API key').click()
        await dialog.getByLabel('apps:read').check()
        await button(dialog, 'Review').click()
      },
    },
    { method: 'rotateApiKey', path: key, open: press('Rotate') },
    { method: 'revokeApiKey', path: key, open: press('Revoke') },
  ]
}
