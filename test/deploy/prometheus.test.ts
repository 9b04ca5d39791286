import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { createMeters } from '../../src/telemetry/meters.js'
import { startTestService } from '../support/service.js'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const rulesFile = 'deploy/prometheus/alerts.yml'

interface Rule {
  readonly alert: string
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

describe('the Prometheus files', () => {
  /** The types of the metrics that the service serves, by name. */
  let types: ReadonlyMap<string, string>
  let text: string
  let rules: readonly Rule[]
  let panels: readonly Panel[]

  beforeAll(async () => {
    const meters = createMeters({ version: '1.2.3', commit: 'abc' })
    const service = await startTestService({ meters })
    text = await meters.text()
    types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]))
    await service.stop()
    meters.close()
    const file: { groups: { rules: Rule[] }[] } = parse(await read(rulesFile))
    rules = file.groups.flatMap((group) => group.rules)
    const dashboard: { panels: Panel[] } = JSON.parse(await read('deploy/grafana/svc.json'))
    panels = dashboard.panels
  })

  /** The names of metrics in an expression: what is no word of the language and has an underscore. */
  const namesIn = (expr: string) =>
    (expr.replace(/"[^"]*"|\$\w+/g, '').match(/\b(?:svc|process|nodejs)_\w+/g) ?? []).map((name) => {
      const [, base = '', part] = /^(\w+?)(?:_(bucket|sum|count))?$/.exec(name) ?? []
      return part !== undefined && types.get(base) === 'histogram' ? base : name
    })

  it('read metrics in which promtool finds no fault', async () => {
    const checked = promisify(execFile)('promtool', ['check', 'metrics'])
    checked.child.stdin?.end(text)
    expect(await checked).toEqual({ stdout: '', stderr: '' })
  })

  it('name existing metrics in every rule and every panel', () => {
    const named = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
    expect(named.length).toBeGreaterThan(30)
    expect(named.flatMap(namesIn).filter((name) => !types.has(name))).toEqual([])
    expect(named.filter((expr) => namesIn(expr).length === 0 && !/^up\{/.test(expr))).toEqual([])
  })

  it('show every metric on the dashboard, except the build, which its variable shows', () => {
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr))))
    expect([...types.keys()].filter((name) => !shown.has(name))).toEqual(['svc_build_info'])
  })

  it('are documented for operators: every metric', async () => {
    const page = await read('docs/operating.md')
    const rows = [...page.matchAll(/^\| (`(?:svc|process|nodejs)_.*?) \|/gm)].map(([, names = '']) => names)
    const documented = rows.flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    expect(documented.toSorted()).toEqual([...types.keys()].toSorted())
  })
})

describe('promtool', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-promtool-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('accepts the alert rules, which fire only in trouble', async () => {
    expect(await promtool('check', 'rules', rulesFile)).toContain('SUCCESS: 19 rules found')
    expect(await promtool('test', 'rules', 'deploy/prometheus/alerts.test.yml')).toContain('SUCCESS')
  })

  it('accepts every expression of the dashboard', async () => {
    const dashboard: { panels: Panel[] } = JSON.parse(await read('deploy/grafana/svc.json'))
    const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const rules = exprs.map((expr, number) => ({
      record: `panel:${number}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const file = join(folder, 'dashboard.json')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(await promtool('check', 'rules', file)).toContain(`SUCCESS: ${exprs.length} rules found`)
  })
})

async function promtool(...args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('promtool', args, { cwd: root })).stdout
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('no promtool here: run scripts/install-promtool.sh', { cause: error })
    }
    throw error
  }
}
