import { setImmediate } from 'node:timers/promises'
import { create, type DescMethod, toJson } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { CallContext } from '../domain/caller/caller.js'
import type { Page } from '../domain/paging.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import type { PrintedObject } from '../store/resource/print.js'
import { callContextOf } from './request-context.js'

/** How answers are printed over every protocol: fields without presence are always there. */
export const answerJsonOptions = { alwaysEmitImplicit: true }

/** The length, in characters, from which texts take milliseconds to receive and send. */
const LONG_TEXT = 1_000_000

/** Makes the answer of a call: `data` is JSON printed by the database, `others` are the fields beside it. */
export function rawJson<Answer>(
  { method: { output } }: HandlerContext,
  data: string,
  others?: NoInfer<Partial<Answer>>,
): Answer {
  if (others === undefined) return preprintedMessage(output, ['{"data":', data, '}']) as Answer
  const { data: _, ...rest } = Object(toJson(output, create(output, { ...others }), answerJsonOptions))
  return preprintedMessage(output, ['{"data":', data, `,${JSON.stringify(rest).slice(1)}`]) as Answer
}

export function rawJsonWithEtag<Answer>(
  context: HandlerContext,
  { json, version }: PrintedObject,
  others?: NoInfer<Partial<Answer>>,
): Answer {
  context.responseHeader.set('etag', entityTagOf(version))
  return rawJson<Answer>(context, json, others)
}

/** The answer of a list: all of it in JSON, or a page. Others have their turn of the event loop before a long one. */
export async function rawJsonList<Answer>(context: HandlerContext, list: Page | string): Promise<Answer> {
  if (typeof list === 'string') return rawJson(context, list)
  const { items, nextPageToken, totalSize } = list
  if (items.length > LONG_TEXT) await setImmediate()
  const total = totalSize === undefined ? '' : `,"totalSize":${totalSize}`
  const end = `],"nextPageToken":${JSON.stringify(nextPageToken)}${total}}`
  return preprintedMessage(context.method.output, ['{"data":[', items, end]) as Answer
}

type Handler<Request, Answer> = (request: Request, context: HandlerContext) => Promise<Answer>

export function withEtag<Request, Answer>(
  rules: (callContext: CallContext, request: Request, method: DescMethod) => Promise<PrintedObject>,
): Handler<Request, Answer> {
  return async (request, context) =>
    rawJsonWithEtag(context, await rules(callContextOf(context), request, context.method))
}

export function listResponse<Request, Answer>(
  rules: (callContext: CallContext, request: Request) => Promise<Page | string>,
): Handler<Request, Answer> {
  return async (request, context) => rawJsonList(context, await rules(callContextOf(context), request))
}

export function emptyResponse<Request>(
  rules: (callContext: CallContext, request: Request) => Promise<void>,
): Handler<Request, Record<never, never>> {
  return async (request, context) => {
    await rules(callContextOf(context), request)
    return {}
  }
}
