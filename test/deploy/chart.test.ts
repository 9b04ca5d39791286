import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import { Ajv } from 'ajv'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { type IJob, Job } from 'kubernetes-models/batch/v1'
import { type IIngress, type INetworkPolicy, Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { type IService, Service } from 'kubernetes-models/v1'
import { parse } from 'yaml'
import { configFromEnvironment } from '../../src/config.js'

const root = join(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/svc')
const read = (path: string) => readFile(join(root, path), 'utf8')

/** Values that turn everything on. */
const everything = {
  environment: { LOG_LEVEL: 'debug', DATABASE_POOL_SIZE: 20, DATABASE_STATEMENT_NAMES: 'off' },
  workers: 2,
  tls: { secretName: 'certificate' },
  databaseCa: { secretName: 'database-ca' },
  service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'true' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/team': 'access' },
    hosts: ['svc.example.com', 'svc.eu.example.com'],
    tls: [{ secretName: 'certificate', hosts: ['svc.example.com'] }],
  },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
  },
  autoscaling: { enabled: true },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  },
  imagePullSecrets: [{ name: 'registry' }],
  serviceAccountName: 'svc',
  priorityClassName: 'high',
  podAnnotations: { 'example.com/team': 'access' },
  podLabels: { tier: 'backend' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
}

/** Kubernetes' own schemas, which take no field that they do not know. */
const kinds: Record<string, new (object: never) => { validate(): void }> = {
  Deployment,
  Job,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceMonitor,
  PrometheusRule,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-chart-'))
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') }
  const source = join(import.meta.dirname, 'render/main.go')
  try {
    await promisify(execFile)('go', ['build', '-o', join(folder, 'render'), source], { env })
  } catch (cause) {
    throw new Error('the renderer of charts cannot be built: run scripts/install-chart-renderer.sh', { cause })
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * The objects of the chart as the templates give them with some values, by their kind, and what follows the name of the
 * release in their names: `Service`, `Service-metrics`.
 */
async function render(values: object = {}): Promise<Map<string, Record<string, unknown>>> {
  const { stdout } = await promisify(execFile)(join(folder, 'render'), [chart, JSON.stringify(values)])
  const texts: Record<string, string> = JSON.parse(stdout)
  const objects = Object.entries(texts).flatMap(([file, text]) =>
    file.endsWith('.yaml') && text.trim() !== '' ? [parse(text, { strict: true })] : [],
  )
  return new Map(objects.map((object) => [object.kind + object.metadata.name.replace(/^release-svc/, ''), object]))
}

async function deploymentOf(values: object = {}): Promise<IDeployment> {
  return (await render(values)).get('Deployment') as unknown as IDeployment
}

describe('the chart', () => {
  it.each([
    ['as it is', {}, ['Deployment', 'Job-migration', 'PodDisruptionBudget', 'Service', 'Service-metrics']],
    [
      'with everything',
      everything,
      [...Object.keys(kinds).map((kind) => (kind === 'Job' ? 'Job-migration' : kind)), 'Service-metrics'],
    ],
    [
      'with nothing that can be left out',
      { migration: { enabled: false }, podDisruptionBudget: { enabled: false }, metrics: { enabled: false } },
      ['Deployment', 'Service'],
    ],
  ])('renders valid Kubernetes objects: %s', async (_, values, expected) => {
    const objects = await render(values)
    expect([...objects.keys()].toSorted()).toEqual(expected.toSorted())
    for (const object of objects.values()) {
      const Model = kinds[String(object['kind'])]
      if (Model === undefined) throw new Error(`no schema of ${String(object['kind'])}`)
      new Model(object as never).validate()
      expect(object['metadata']).toMatchObject({ labels: { 'app.kubernetes.io/instance': 'release' } })
    }
  })

  it('migrates before the rollout, so that a failed migration stops it', async () => {
    const objects = await render()
    const job = objects.get('Job-migration') as unknown as IJob
    expect(job.metadata?.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    const [migration] = job.spec?.template.spec?.containers ?? []
    const [service] = (await deploymentOf()).spec?.template.spec?.containers ?? []
    expect(migration?.args).toEqual(['migrate'])
    expect(job.spec?.template.spec?.restartPolicy).toBe('Never')
    expect([migration?.image, migration?.envFrom]).toEqual([service?.image, service?.envFrom])
    // It is not a pod of the service: no traffic is sent to it.
    expect(job.spec?.template.metadata?.labels?.['app.kubernetes.io/name']).not.toBe('svc')
  })

  it('runs pods read-only, without privileges or a token, and as any user', async () => {
    const objects = await render({ podSecurityContext: { runAsUser: 1_000_660_000 } })
    for (const kind of ['Deployment', 'Job-migration']) {
      const { spec } = objects.get(kind) as unknown as IDeployment
      const pod = spec?.template.spec
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1_000_660_000, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(pod?.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it.each([
    [0, 10, 15],
    [10, 10, 20],
    [120, 10, 130],
    [10, 60, 65],
  ])('waits for a drain of %i seconds and calls of %i', async (drainSeconds, graceSeconds, expected) => {
    const deployment = await deploymentOf({ drainSeconds, graceSeconds })
    expect(deployment.spec?.template.spec?.containers[0]?.env).toContainEqual({
      name: 'GRACE_SECONDS',
      value: `${graceSeconds}`,
    })
    expect(deployment.spec?.template.spec?.terminationGracePeriodSeconds).toBe(expected)
  })

  it('probes the health paths, over TLS if the service uses it', async () => {
    for (const [values, scheme] of [
      [{}, 'HTTP'],
      [everything, 'HTTPS'],
    ] as const) {
      const [container] = (await deploymentOf(values)).spec?.template.spec?.containers ?? []
      const get = (path: string) => ({ path, port: 'http', scheme })
      expect(container?.startupProbe?.httpGet).toEqual(get('/healthz'))
      expect(container?.livenessProbe?.httpGet).toEqual(get('/healthz'))
      expect(container?.readinessProbe?.httpGet).toEqual(get('/readyz'))
    }
  })

  it('publishes the metrics on no other Service than one inside the cluster, which Prometheus finds', async () => {
    const objects = await render(everything)
    const portsOf = (name: string) => (objects.get(name) as unknown as IService).spec?.ports?.map((port) => port.name)
    expect([portsOf('Service'), portsOf('Service-metrics')]).toEqual([['http'], ['metrics']])
    expect(objects.get('Service')).toMatchObject({ spec: { type: 'LoadBalancer' } })
    expect(objects.get('Service-metrics')).toMatchObject({ spec: { type: 'ClusterIP' } })
    const labelsOf = (name: string) => (objects.get(name) as unknown as IService).metadata?.labels
    const monitor = objects.get('ServiceMonitor') as { spec: { selector: { matchLabels: Record<string, string> } } }
    expect(labelsOf('Service-metrics')).toMatchObject(monitor.spec.selector.matchLabels)
    expect(labelsOf('Service')).not.toMatchObject(monitor.spec.selector.matchLabels)
  })

  it.each([{}, { PORT: 9000 }, { PORT: '9000' }])(
    'has the probes ask the port that it listens on: %j',
    async (environment) => {
      const [container] = (await deploymentOf({ environment })).spec?.template.spec?.containers ?? []
      const port = Number('PORT' in environment ? environment.PORT : 8080)
      expect(container?.env?.filter(({ name }) => name === 'PORT')).toEqual([{ name: 'PORT', value: `${port}` }])
      expect(container?.ports?.[0]).toEqual({ name: 'http', containerPort: port })
      expect(container?.readinessProbe?.httpGet?.port).toBe('http')
    },
  )

  it('lets an ingress lead each host to the Service, and needs one', async () => {
    const { spec } = (await render(everything)).get('Ingress') as unknown as IIngress
    expect(spec?.rules?.map(({ host }) => host)).toEqual(everything.ingress.hosts)
    for (const rule of spec?.rules ?? []) {
      expect(rule.http?.paths[0]?.backend.service).toEqual({ name: 'release-svc', port: { name: 'http' } })
    }
    await expect(render({ ingress: { enabled: true } })).rejects.toThrow('ingress.hosts is needed')
  })

  it('lets a network policy open the port of the service, and that of the metrics to those who are named', async () => {
    const rulesOf = async (networkPolicy: object) => {
      const policy = (await render({ networkPolicy: { enabled: true, ...networkPolicy } })).get('NetworkPolicy')
      return (policy as unknown as INetworkPolicy).spec?.ingress
    }
    const { from, metricsFrom } = everything.networkPolicy
    expect(await rulesOf({})).toEqual([{ ports: [{ port: 'http' }] }])
    expect(await rulesOf({ from, metricsFrom })).toEqual([
      { ports: [{ port: 'http' }], from },
      { ports: [{ port: 'metrics' }], from: metricsFrom },
    ])
  })

  it.each([
    ['a secret', { secretName: 'ca' }, { name: 'database-ca', secret: { secretName: 'ca' } }],
    ['a config map', { configMapName: 'ca' }, { name: 'database-ca', configMap: { name: 'ca' } }],
  ])("mounts the database's CA certificate from %s, for the migration too", async (_, databaseCa, volume) => {
    const objects = await render({ databaseCa })
    for (const kind of ['Deployment', 'Job-migration']) {
      const { spec } = (objects.get(kind) as unknown as IDeployment).spec?.template ?? {}
      expect([kind, spec?.volumes]).toEqual([kind, [volume]])
      expect(spec?.containers[0]?.volumeMounts).toEqual([
        { name: 'database-ca', mountPath: '/database-ca', readOnly: true },
      ])
    }
  })

  it('sets only variables that the service knows, with values that it accepts', async () => {
    const [container] = (await deploymentOf(everything)).spec?.template.spec?.containers ?? []
    const environment = Object.fromEntries(container?.env?.map(({ name, value }) => [name, value ?? '']) ?? [])
    const known = configFromEnvironment({}).settings.map(({ name }) => name)
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
    expect(configFromEnvironment(environment)).toMatchObject({ host: '0.0.0.0', port: 8080, databasePoolSize: 20 })
  })

  it('does not render without the secret for the database URL', async () => {
    await expect(render({ environmentSecret: '' })).rejects.toThrow('environmentSecret is needed')
  })

  it('has the version and the alerts of the repository', async () => {
    const { version }: { version: string } = JSON.parse(await read('package.json'))
    expect(parse(await read('deploy/helm/svc/Chart.yaml'))).toMatchObject({ version, appVersion: version })
    const alerts = await read('deploy/prometheus/alerts.yml')
    expect(await read('deploy/helm/svc/files/alerts.yml')).toBe(alerts)
    expect((await render(everything)).get('PrometheusRule')).toMatchObject({ spec: parse(alerts) })
  })
})

describe('the schema of the values', () => {
  const faultsOf = async (values: object) => {
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(
      JSON.parse(await read('deploy/helm/svc/values.schema.json')),
    )
    return validate(values)
      ? []
      : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
  }

  it('accepts the defaults, and everything enabled', async () => {
    const defaults: object = parse(await read('deploy/helm/svc/values.yaml'))
    expect(await faultsOf(defaults)).toEqual([])
    expect(await faultsOf({ ...defaults, ...everything })).toEqual([])
  })

  it.each([
    ['replica: 3', { replica: 3 }, ' additionalProperties'],
    ['replicas: "3"', { replicas: '3' }, '/replicas type'],
    ['drainSeconds: 301', { drainSeconds: 301 }, '/drainSeconds maximum'],
    ['graceSeconds: 0', { graceSeconds: 0 }, '/graceSeconds minimum'],
    ['environmentSecret: ""', { environmentSecret: '' }, '/environmentSecret minLength'],
    ['environment.METRICS_PORT', { environment: { METRICS_PORT: 1 } }, '/environment propertyNames'],
    ['environment.log_level', { environment: { log_level: 'info' } }, '/environment propertyNames'],
    ['two databaseCa', { databaseCa: { secretName: 'ca', configMapName: 'ca' } }, '/databaseCa anyOf'],
    ['image.pullPolicy', { image: { repository: 'svc', pullPolicy: 'Sometimes' } }, '/image/pullPolicy enum'],
  ])('refuses %s', async (_, values, fault) => {
    const defaults: object = parse(await read('deploy/helm/svc/values.yaml'))
    expect(await faultsOf({ ...defaults, ...values })).toContain(fault)
  })
})
