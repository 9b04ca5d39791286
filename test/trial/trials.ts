import { badInput } from './bad-input.js'
import { clock } from './clock.js'
import { connectionFlood } from './connection-flood.js'
import { crash } from './crash.js'
import { cut } from './cut.js'
import { disk } from './disk.js'
import { drain } from './drain.js'
import { endurance } from './endurance.js'
import { events } from './events.js'
import { failover } from './failover.js'
import { flood } from './flood.js'
import { kill } from './kill.js'
import { limit } from './limit.js'
import { migrator } from './migrator.js'
import { network } from './network.js'
import { overload } from './overload.js'
import { ownership } from './ownership.js'
import { pages } from './pages.js'
import { pooler } from './pooler.js'
import { readOnly } from './read-only.js'
import { refuse } from './refuse.js'
import { repeat } from './repeat.js'
import { restarts } from './restarts.js'
import { revoke } from './revoke.js'
import { revokeTiming } from './revoke-timing.js'
import { silence } from './silence.js'
import { slow } from './slow.js'
import { sync } from './sync.js'
import { tenants } from './tenants.js'
import type { Trial } from './trial.js'
import { unread } from './unread.js'
import { upgrade } from './upgrade.js'
import { webhooks } from './webhooks.js'
import { winner } from './winner.js'
import { killWorker, silenceWorker } from './worker-loss.js'

/** Every trial, in the order in which they run. */
export const trials: readonly Trial[] = [
  kill,
  events,
  webhooks,
  crash,
  silence,
  readOnly,
  network,
  migrator,
  overload,
  endurance,
  drain,
  slow,
  flood,
  connectionFlood,
  unread,
  refuse,
  badInput,
  tenants,
  pages,
  repeat,
  cut,
  winner,
  ownership,
  revoke,
  limit,
  clock,
  disk,
  pooler,
  failover,
  killWorker,
  silenceWorker,
  restarts,
  upgrade,
  sync,
  revokeTiming,
]
