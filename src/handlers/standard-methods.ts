import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Scope } from '../domain/caller/scope.js'
import type { PageTokens } from '../domain/paging.js'
import {
  createObject,
  deleteObject,
  getObject,
  type ListedResource,
  listObjects,
  type StandardResource,
  updateObject,
} from '../domain/standard-methods.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { preprintedMessage } from '../protojson/json-printer.js'
import type { AuditAction } from '../store/audit-action.js'
import type { StandardCreation, StandardDeletion, StandardUpdate } from '../store/standard-methods.js'
import { printedAnswer, printedPage } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** A handler of requests that have the given fields, whose response is of the message. */
type Handler<Request, Desc extends DescMessage> = (
  request: Request,
  context: HandlerContext,
) => Promise<MessageShape<Desc>>

interface ListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal: boolean
}

/** Handlers of the standard methods (AIP-131 to 135), each for the message of its response. */
export const standard = {
  get:
    <Desc extends DescMessage>(
      desc: Desc,
      resource: StandardResource<unknown>,
    ): Handler<{ readonly id: string }, Desc> =>
    async ({ id }, context) =>
      taggedAnswer(desc, await getObject(scopeOf(context), resource, id), context),

  list:
    <Desc extends DescMessage, Filters>(
      desc: Desc,
      resource: ListedResource<unknown>,
      pageTokens: PageTokens,
      filters: (request: Filters) => Readonly<Record<string, string>>,
    ): Handler<ListRequest & Filters, Desc> =>
    async (request, context) =>
      printedPage(
        desc,
        await listObjects(scopeOf(context), resource, { ...request, filters: filters(request) }, pageTokens),
      ),

  create:
    <Desc extends DescMessage, Request, Created extends { readonly teamId: string }>(
      desc: Desc,
      resource: StandardResource<StandardCreation<Created>>,
      values: (request: Request, scope: Scope) => Created,
    ): Handler<Request, Desc> =>
    async (request, context) => {
      const scope = scopeOf(context)
      return taggedAnswer(desc, await createObject(scope, resource, values(request, scope)), context)
    },

  update:
    <Desc extends DescMessage, Request, Changes>(
      desc: Desc,
      resource: StandardResource<StandardUpdate<Changes>>,
      changes: (request: Request, scope: Scope) => Changes,
      action?: AuditAction,
    ): Handler<{ readonly id: string } & Request, Desc> =>
    async (request, context) => {
      const scope = scopeOf(context)
      return taggedAnswer(
        desc,
        await updateObject(scope, resource, request.id, changes(request, scope), action),
        context,
      )
    },

  delete:
    <Desc extends DescMessage>(
      desc: Desc,
      resource: StandardResource<StandardDeletion>,
    ): Handler<{ readonly id: string }, Desc> =>
    async ({ id }, context) => {
      await deleteObject(scopeOf(context), resource, id)
      return preprintedMessage(desc, ['{}'])
    },
}

function taggedAnswer<Desc extends DescMessage>(desc: Desc, json: string, context: HandlerContext): MessageShape<Desc> {
  context.responseHeader.set('etag', entityTagOf(json))
  return printedAnswer(desc, json)
}
