import TestSequencer from '@jest/test-sequencer'

/**
 * The files that take longest, longest first: one that began last would keep everybody waiting for it alone. Before them
 * those that run alone, for which there is nobody to wait then.
 */
const longest = [
  'transfer/large-import',
  'call/body-cost',
  'browser/docs-page',
  'cli/serve',
  'db/embedded',
  'cli/checkout',
  'telemetry/tracing',
  'deploy/image',
  'transfer/import',
  'openapi/generated-clients',
  'rpc/deadlines',
  'cli/demo',
  'rest/properties',
  'rpc/wire',
  'cookbook',
  'auth/revocation-oracle',
  'cli/missing-database',
  'db/pool',
  'db/replica',
  'rpc/faults',
  'client/packages',
  'telemetry/metrics-port',
  'db/prisma-command',
  'http/health',
  'transfer/import-faults',
  'auth/api-key-rotation',
  'db/pooler',
  'store/list-cost',
  'deploy/chart',
  'user/user-concurrency',
  'transfer/export',
  'rpc/fuzz',
  'http/slow-callers',
  'app-resource/app-resource-lock',
]

/** Jest's order of files, which goes by what it has measured here, with those in front that are known to take long. */
export default class LongestFirst extends TestSequencer {
  async sort(tests) {
    const placeOf = ({ path }) => {
      const place = longest.findIndex((name) => path.endsWith(`/test/${name}.test.ts`))
      return place < 0 ? longest.length : place
    }
    return [...(await super.sort(tests))].sort((a, b) => placeOf(a) - placeOf(b))
  }
}
