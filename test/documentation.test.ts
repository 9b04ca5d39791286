import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { credentialInvalid } from '../src/admission/bearer.js'
import { scimRoutes } from '../src/scim/routes.js'
import { auditActions, isAuditAction } from '../src/store/audit-action.js'
import { recordKinds } from '../src/store/transfer/kind.js'
import { blocksOf, docs, pages, read, root } from './support/documents.js'

/** The fragment of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

describe('the documentation', () => {
  it.each(pages)('%s contains only working links', async (name) => {
    const targets = [...(await read(name)).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to)
    expect(targets.filter((to) => !existsSync(join(root, dirname(name), to)))).toEqual([])
  })

  it.each(pages)('%s names only existing files', async (name) => {
    const text = await read(name)
    const named = [...text.matchAll(/`((?:src|client|proto|prisma|scripts|test|bench|harness)\/[\w./-]+\.\w+)`/g)]
    const paths = named.map(([, path = '']) => path).filter((path) => !/(?:^|\/)x\.(?:test\.)?\w+$/.test(path))
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it.each(pages)('%s contains only links to headings that exist', async (name) => {
    const links = [...(await read(name)).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
    for (const [, page = '', heading = ''] of links) {
      const target = page === '' ? name : join(dirname(name), page)
      expect([target, headingsOf(await read(target))]).toEqual([target, expect.arrayContaining([heading])])
    }
  })

  it('has a list of contents where a page has many parts', async () => {
    for (const name of ['docs/cookbook.md', 'docs/operating.md']) {
      const text = await read(name)
      const listed = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, heading]) => heading)
      const parts = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^## (.+)$/gm)].map(([, part = '']) =>
        anchorOf(part),
      )
      expect([name, parts.filter((part) => !listed.includes(part))]).toEqual([name, []])
    }
  })

  it('is fully reachable from its first page', async () => {
    const index = await read('docs/README.md')
    const missing = docs.filter(
      (name) => !name.startsWith('adr/') && name !== 'README.md' && !index.includes(`(${name})`),
    )
    expect(missing).toEqual([])
  })

  it('lists every decision with its title and status', async () => {
    const index = await read('docs/adr/README.md')
    for (const name of docs.filter((each) => /^adr\/\d/.test(each))) {
      const [heading = '', , status = ''] = (await read(`docs/${name}`)).split('\n')
      const [, number, title] = /^# (\d+)\. (.+)$/.exec(heading) ?? []
      const row = index
        .split('\n')
        .find((line) => line.startsWith(`| [${number}](${name.slice('adr/'.length)}) | ${title} |`))
      expect([name, row]).toEqual([name, expect.stringContaining(`| ${status.replace('Status: ', '')} |`)])
    }
  })

  it('names the eight and nine functions through which a write of a member goes', async () => {
    const text = await read('docs/adr/0008-one-way-to-write-a-member.md')
    const rows = [...text.matchAll(/^ {2}\|(.*)\|(.*)\|$/gm)].map(([, ...cells]) => cells.map((cell) => cell.trim()))
    const [heading = [], , ...functions] = rows.map(([put = '', patch = '']) => [
      put,
      patch === 'the same' ? put : patch,
    ])
    for (const [index, count] of [8, 9].entries()) {
      expect(heading[index]).toMatch(new RegExp(`: ${count}$`))
      const named = functions.flatMap((row) => [...(row[index] ?? '').matchAll(/^`(\w+)` of `(\S+)`$/g)])
      expect(named).toHaveLength(count)
      const sources = await Promise.all(
        named.map(([, , path = '']) => read(`src/${path}`).catch(() => read(`src/domain/${path}`))),
      )
      const unknown = named.filter(([, name], at) => !new RegExp(`\\b${name}\\b`).test(sources[at] ?? ''))
      const isCalled = (name = '') => sources.some((source) => new RegExp(`\\b${name}[(<]`).test(source))
      expect([unknown, named.filter(([, name]) => !isCalled(name))]).toEqual([[], []])
    }
  })

  it('says in at most 40 words where a change goes', async () => {
    const [, table = ''] = (await read('CONTRIBUTING.md')).split('## Where a change goes')
    const cells = [...table.matchAll(/^\| (.+) \|$/gm)].flatMap(([, row = '']) => row.split(' | '))
    expect(cells.length).toBeGreaterThan(20)
    expect(cells.filter((cell) => cell.split(/\s+/).length > 40)).toEqual([])
  })

  it('lists exactly the variables that the service reads', async () => {
    const code = (await read('src/config.ts')) + (await read('src/config/telemetry.ts'))
    const inCode = [...code.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
    const rows = (await read('docs/operating.md')).match(/^\| `[A-Z].*$/gm) ?? []
    const inDocs = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    )
    expect(new Set(inDocs)).toEqual(new Set(inCode))
  })
})

describe('the commands in the documentation', () => {
  it('stand alone, without prompts and without comments, which zsh does not accept interactively', async () => {
    const blocks = await blocksOf('sh', 'bash')
    const lines = blocks.flatMap(({ page, text }) => text.split('\n').map((line) => `${page}: ${line}`))
    expect(lines.length).toBeGreaterThan(100)
    expect(lines.filter((line) => /: \$ |(^|\s)#/.test(line))).toEqual([])
    expect(await blocksOf('console', 'shell')).toEqual([])
  })

  it('run this program, not an npm package of the same name', async () => {
    const commands =
      'serve|migrate|import|export|keys|tokens|status|demo|config|doctor|directory|events|completion|version'
    const texts = await Promise.all(pages.map(async (page) => ({ page, text: await read(page) })))
    const bare = new RegExp(`.*(?:\`|^|[|;&$] ?)svc (?:${commands})\\b.*`, 'gm')
    const isDecision = (page: string) => page.startsWith('docs/adr/')
    expect(texts.flatMap(({ page, text }) => (isDecision(page) ? [] : (text.match(bare) ?? [])))).toEqual([])
  })

  it('use names from the demo organization', async () => {
    const demo = await read('demo/organization.ndjson')
    const absentOnPurpose = [
      'resource_unknown',
      'config_other',
      'policy_nothing',
      'user_nobody',
      'user_zoe',
      // Of a system that people come from.
      'user_id',
      '0198a1c0-7d00-7000-8000-00000000ffff',
      '0198a1c0-7d00-7000-8000-000000e10000',
    ]
    const pattern =
      /\b(?:org|user|team|app|pri|resource|policy|group|config|mapping|type|sla)_[a-z0-9_]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
    const files = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.mjs'))
    const examples = await Promise.all(
      files.map(async (name) => ({ page: name, text: await read(`examples/${name}`) })),
    )
    const blocks = [...(await blocksOf('sh', 'bash', 'ts', 'json', 'text')), ...examples]
    const named = blocks.flatMap(({ page, text }) => (text.match(pattern) ?? []).map((id) => ({ page, id })))
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(({ id }) => !demo.includes(`"${id}"`) && !absentOnPurpose.includes(id))).toEqual([])
  })
})

/** The operations of the OpenAPI document: `GET /v2/users/{id}`, with what it says of each. */
async function operations(): Promise<Map<string, string>> {
  const { paths }: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
    await read('gen/openapi/openapi.json'),
  )
  return new Map(
    Object.entries(paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        JSON.stringify(operation),
      ]),
    ),
  )
}

describe('what the documentation says of the schema', () => {
  it('lists the methods with an ETag, and those that compare If-Match', async () => {
    const rows = (await read('docs/versions.md')).match(/^\| (?!---|object).*\|$/gm) ?? []
    const documented = { tagged: new Set<string>(), matching: new Set<string>() }
    for (const row of rows) {
      const [, , tagged = '', matching = ''] = row.split('|')
      for (const [, operation = ''] of tagged.matchAll(/`([^`]+)`/g)) documented.tagged.add(operation)
      for (const [, operation = ''] of matching.matchAll(/`([^`]+)`/g)) {
        documented.matching.add(operation)
        if (!/^DELETE |:endSessions$/.test(operation)) documented.tagged.add(operation)
      }
    }
    const all = [...(await operations())]
    const having = (part: string) => new Set(all.flatMap(([name, text]) => (text.includes(part) ? name : [])))
    expect(documented).toEqual({ tagged: having('"ETag"'), matching: having('parameters/IfMatch"') })
  })

  it('names only methods that exist', async () => {
    const known = [...(await operations()).keys()].map(
      (name) => new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/:]+')}$`),
    )
    for (const page of pages) {
      const named = [...(await read(page)).matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v2\/[^`?\s]+)[^`]*`/g)]
      const unknown = named.flatMap(([, name = '']) =>
        known.some((each) => each.test(name)) || name.startsWith('GET /v2/openapi.') ? [] : name,
      )
      expect([page, unknown]).toEqual([page, []])
    }
  })

  it('names only actions that the audit log records', async () => {
    const types = new Set(auditActions.map((action) => action.split('.')[0]))
    // Okta's expressions and the names of files look the same.
    for (const page of docs.filter((name) => name !== 'okta.md').map((name) => `docs/${name}`)) {
      const named = [...(await read(page)).matchAll(/`([a-z_]+)\.([a-z_]+)`/g)].filter(([, type]) =>
        types.has(type ?? ''),
      )
      const unknown = named.flatMap(([, type, verb]) => (isAuditAction(`${type}.${verb}`) ? [] : `${type}.${verb}`))
      expect([page, unknown]).toEqual([page, []])
    }
  })

  it('says exactly who writes groups', async () => {
    const writers = [
      [[...(await operations()).keys()].some((name) => /^(?!GET).* \/v2\/groups/.test(name)), 'the API'],
      [scimRoutes.some(({ method, path }) => method === 'PATCH' && path.startsWith('/Groups')), 'the directory'],
      [recordKinds.includes('group'), 'an import'],
    ] as const
    const [, documented = ''] =
      /^\| `group\.create`.*? written by (.+?);/m.exec(await read('docs/field-ownership.md')) ?? []
    expect(documented.split(/, | or /)).toEqual(writers.flatMap(([isWriter, name]) => (isWriter ? name : [])))
  })

  it('quotes the message about a rejected JWT', async () => {
    const [, quoted] =
      /Every JWT that is rejected gets the same 401 message, `([^`]+)`/.exec(await read('docs/credentials.md')) ?? []
    expect(quoted).toBe(credentialInvalid().message)
  })

  it('names types of resources in errors as the audit log does', async () => {
    const examples = await read('gen/openapi/examples.json')
    const named = new Set(
      [...examples.matchAll(/"metadata": \{\s+"resourceType": "([^"]+)"/g)].map(([, type = '']) => type),
    )
    const audited = new Set(auditActions.map((action) => action.split('.')[0] ?? ''))
    expect(named.size).toBeGreaterThan(10)
    expect([...named].filter((type) => !audited.has(type)).toSorted()).toEqual(['group_member', 'journey'])
  })

  it('names the tools with which the tests make clients', async () => {
    const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
      await read('test/generators/package.json'),
    )
    const [, sentence = ''] =
      /The tests generate types with ([\s\S]*?) and compile/.exec(await read('docs/clients.md')) ?? []
    const named = sentence.split(/,\s+|\s+and\s+/).map((name) => name.replace(/\s*\(.*\)$/, '').trim())
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((name) => devDependencies[name] === undefined)).toEqual([])
  })
})
