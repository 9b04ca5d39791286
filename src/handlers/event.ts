import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { type EventService, ListEventsResponseSchema, WatchEventsResponseSchema } from '../../gen/svc/v2/event_pb.js'
import { listEvents, watchEvents } from '../domain/event/event-feed.js'
import type { EventPage } from '../domain/event/feed-page.js'
import { invalidField } from '../errors.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import { suggestion } from '../protojson/nearest.js'
import { type AuditAction, auditActions, isAuditAction, targetTypeOf } from '../store/audit-action.js'
import type { HandlerTools } from './handler-tools.js'
import { callContextOf } from './request-context.js'

/** How long before its deadline a call stops waiting, in milliseconds. */
const ANSWER_MILLIS = 2_000
/** How long a call without a deadline is watched. */
const WATCH_MILLIS = 60_000

export function createEventHandlers({ feedSignals: signals }: HandlerTools): ServiceImpl<typeof EventService> {
  const waitingOf = ({ signal, timeoutMs }: HandlerContext) => {
    return { signals, signal, millis: Math.max(0, (timeoutMs() ?? WATCH_MILLIS) - ANSWER_MILLIS) }
  }
  return {
    async listEvents({ waitSeconds, types, ...request }, context) {
      const query = { ...request, types: auditActionsFrom(types, 'types'), waitMillis: waitSeconds * 1_000 }
      const page = await listEvents(callContextOf(context), query, waitingOf(context))
      // As streams say it: nginx passes on what there is.
      if (waitSeconds > 0) context.responseHeader.set('x-accel-buffering', 'no')
      return preprintedMessage(ListEventsResponseSchema, [...pageText(page), `,"hasMore":${page.hasMore}}`])
    },
    async *watchEvents({ types, ...request }, context) {
      const query = { ...request, types: auditActionsFrom(types, 'types') }
      for await (const page of watchEvents(callContextOf(context), query, waitingOf(context))) {
        yield preprintedMessage(WatchEventsResponseSchema, [...pageText(page), '}'])
      }
    },
  }
}

function pageText({ items, nextCursor }: EventPage): string[] {
  return ['{"data":[', items, `],"nextCursor":${JSON.stringify(nextCursor)}`]
}

/** Known actions. Throws `FIELD_INVALID` for the first other one in the list, with the nearest. */
export function auditActionsFrom(texts: readonly string[], list: string): AuditAction[] {
  return texts.map((text, index) => auditActionFrom(text, `${list}[${index}]`))
}

const targetTypes = [...new Set(auditActions.map(targetTypeOf))].sort()

/** A kind of target that known actions have, or an empty text. Throws `FIELD_INVALID` with the nearest one. */
export function targetTypeFrom(text: string): string {
  if (text === '' || targetTypes.includes(text)) return text
  throw invalidField('targetType', `is unknown: ${suggestion(text, targetTypes)}`)
}

/** A known action. Throws `FIELD_INVALID` with the nearest one. */
export function auditActionFrom(text: string, field: string): AuditAction {
  if (isAuditAction(text)) return text
  const isSeveral = text.split(',').every((part) => isAuditAction(part.trim()))
  const advice = isSeveral ? 'give each value by itself, without commas' : suggestion(text, auditActions)
  throw invalidField(field, `is unknown: ${advice}`)
}
