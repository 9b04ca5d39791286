import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { installGenerators } from '../support/generators.js'

const root = join(import.meta.dirname, '../..')
const document = join(root, 'gen/openapi/openapi.json')

const manager = { approvers: [{ manager: {} }] }
const person = { approvers: [{ user: { userId: 'user_ada' }, notify: true }] }
const workflow = { customWorkflow: { workflowId: 'workflow_1' }, allowSelfApproval: false }

/** Bodies by the type of the request: those that callers may send, and those that they must not. */
const bodies: Record<string, { readonly operation: string; readonly good: unknown[]; readonly wrong: unknown[] }> = {
  CreateAccessPolicyApprovalProcedureRequest: {
    operation: 'createAccessPolicyApprovalProcedure',
    good: [
      { steps: [manager, workflow] },
      { stages: [{ steps: [person, { approvers: [{ group: { groupId: 'group_security' } }, { appOwner: {} }] }] }] },
      { stages: [{ steps: [manager] }], steps: [manager], timeoutSeconds: 300 },
      { steps: [{ ...manager, approverJustificationMode: 'REQUIRED' }], timeoutSeconds: 0 },
    ],
    wrong: [
      {},
      { timeoutSeconds: 300 },
      { steps: [manager], timeoutSeconds: '1 day' },
      { steps: manager },
      { steps: [{}] },
      { steps: [{ approvers: [{}] }] },
      { steps: [{ approvers: [{ notify: true }] }] },
      { steps: [{ approvers: [{ user: {} }] }] },
      { steps: [{ approvers: [{ boss: {} }] }] },
      { steps: [{ approvers: [{ manager: {}, appOwner: {} }] }] },
      { steps: [{ approvers: [{ manager: {}, notify: 'yes' }] }] },
      { steps: [{ ...manager, ...workflow }] },
      { steps: [{ ...manager, approverJustificationMode: 7 }] },
      { stages: [{}] },
      { stages: [manager] },
    ],
  },
  BatchUpdateAppResourcesRequest: {
    operation: 'batchUpdateAppResources',
    good: [{ resources: [{ id: 'resource_gripper', name: 'gripper' }] }],
    wrong: [{}, { resources: [{}] }, { resources: [{ id: 1 }] }],
  },
  UpdatePriorityRequest: {
    operation: 'updatePriority',
    good: [{}, { name: 'Urgent', isAiSelectable: true }],
    wrong: [{ isAiSelectable: 'yes' }, { name: 1 }],
  },
  CreateUserRequest: {
    operation: 'createUser',
    good: [{ email: 'olga@acme.example' }, { email: 'olga@acme.example', role: 'USER_ROLE_ORG_GUEST' }],
    wrong: [{}, { firstName: 'Olga' }, { email: 'olga@acme.example', role: 'GUEST' }],
  },
  UpdateUserRequest: {
    operation: 'updateUser',
    good: [{ department: 'IT', pinFields: ['USER_PROFILE_FIELD_DEPARTMENT'] }],
    wrong: [{ pinFields: ['DEPARTMENT'] }, { pinFields: 'USER_PROFILE_FIELD_DEPARTMENT' }],
  },
  CreateUserRelationshipRequest: {
    operation: 'createUserRelationship',
    good: [{ userId: 'user_jonas', relatedUserId: 'user_bela' }],
    wrong: [{}, { userId: 'user_jonas' }],
  },
  IngestUserProfilesRequest: {
    operation: 'ingestUserProfiles',
    good: [{ source: 'hr', profiles: [{ externalId: '1001', email: 'emre@acme.example' }] }],
    wrong: [{}, { source: 'hr' }, { source: 'hr', profiles: [{ externalId: 1001 }] }],
  },
}

/** What a generator writes, and how a program that uses it names the type of a request. */
interface Generator {
  readonly command: readonly [string, ...string[]]
  /** The file with the types. */
  readonly output: string
  readonly imports: string
  readonly bodyType: (name: string, operation: string) => string
  /** How it spells what may be anything: the value of a custom field, headers, details of later kinds, an answer without a body. */
  readonly anything: readonly string[]
}

const generators: Record<string, Generator> = {
  'openapi-typescript': {
    command: ['openapi-typescript', document, '--output', 'types.ts'],
    output: 'types.ts',
    imports: "import type { components } from './types.js'",
    bodyType: (name) => `components['schemas']['${name}']`,
    anything: ['[name: string]: unknown;', 'value?: unknown;'],
  },
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '--input', document, '--output', 'hey', '--plugins', '@hey-api/typescript', '--silent'],
    output: 'hey/types.gen.ts',
    imports: "import type * as types from './hey/types.gen.js'",
    bodyType: (name) => `types.${name}`,
    anything: ['200: unknown;', '[key: string]: unknown;', 'value?: unknown;'],
  },
  'orval with zod': {
    command: ['orval', '--input', document, '--output', 'zod.ts', '--client', 'zod'],
    output: 'zod.ts',
    imports: "import type { input } from 'zod'\nimport * as schemas from './zod.js'",
    bodyType: (_, operation) => `input<typeof schemas.${operation}Body>`,
    anything: ['"value": zod.any().optional()'],
  },
}

beforeAll(installGenerators)

describe.each(Object.entries(generators))('the types that %s generates from the document', (_, generator) => {
  let directory: string
  let printed: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-generated-'))
    await mkdir(join(directory, 'node_modules'))
    await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'))
    await symlink(join(root, 'test/generators/node_modules/zod'), join(directory, 'node_modules/zod'))
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
    const { stdout, stderr } = await run(...generator.command)
    printed = stdout + stderr
  })
  afterAll(() => rm(directory, { recursive: true }))

  const run = (program: string, ...args: string[]) => {
    // In this order: the compiler is that of the checkout, which is several times as fast as the one of the generators.
    const folders = [join(root, 'node_modules/.bin'), join(root, 'test/generators/node_modules/.bin')]
    const env = { ...process.env, PATH: [...folders, process.env['PATH']].join(delimiter) }
    return promisify(execFile)(program, args, { cwd: directory, env })
  }

  it('are generated without warnings', () => {
    expect(printed).not.toMatch(/failed|must/i)
  })

  it('accept every valid body and no invalid one', async () => {
    const program = [generator.imports]
    for (const [type, { operation, good, wrong }] of Object.entries(bodies)) {
      const declare = (body: unknown) =>
        program.push(
          `export const body${program.length}: ${generator.bodyType(type, operation)} = ${JSON.stringify(body)}`,
        )
      good.forEach(declare)
      for (const body of wrong) {
        program.push('// @ts-expect-error: a wrong body')
        declare(body)
      }
    }
    await writeFile(join(directory, 'bodies.ts'), program.join('\n'))
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext']
    await expect(run('tsc', ...options, '--types', 'node', 'bodies.ts')).resolves.toMatchObject({ stdout: '' })
  })

  it('are open only where any JSON value is allowed', async () => {
    const lines = (await readFile(join(directory, generator.output), 'utf8')).split('\n')
    const open = lines.flatMap((line) => {
      const code = line.replace(/\.describe\(.*/, '').trim()
      return /[:|&=] unknown\b|zod\.(any|unknown)\(/.test(code) ? [code] : []
    })
    expect([...new Set(open)].sort()).toEqual(generator.anything)
  })
})
