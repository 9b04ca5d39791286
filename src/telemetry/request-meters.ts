import { Gauge, type Registry } from 'prom-client'
import { doorNames, type RequestObserver } from '../http/request-handler.js'
import { type Count, createCounts } from './series.js'

const MAX_SERIES = 100

/** Counts requests by status and by the part of the service that answered. */
export function createRequestMeters(registry: Registry): RequestObserver {
  const countOf = createCounts({
    name: 'svc_http_requests_total',
    help: 'Requests, by the part that handled them (rest, rpc, scim, page, probe, preflight, refused) and HTTP status.',
    labelNames: ['door', 'status'],
    most: MAX_SERIES,
    registry,
  })
  let open = 0
  new Gauge({
    name: 'svc_http_requests_open',
    help: 'Requests in progress.',
    registers: [registry],
    collect() {
      this.set(open)
    },
  })
  const doors = new Map(doorNames.map((door) => [door, new Map<number, Count>()]))
  return {
    begun: () => {
      open++
    },
    ended: (door, status) => {
      open--
      const counts = doors.get(door)
      const count = counts?.get(status) ?? countOf(door, String(status))
      count.value++
      if (count.value === 1) counts?.set(status, count)
    },
  }
}
