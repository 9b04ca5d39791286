import type { ServiceImpl } from '@connectrpc/connect'
import { GetJourneyResponseSchema, type JourneyService } from '../../gen/svc/v2/journey_pb.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { getJourney } from '../domain/journey.js'
import type { Runtime } from '../runtime/runtime.js'
import { type PreprintMessageOptions, readPrinted } from './preprint-message.js'
import { callerOf } from './request-context.js'

/** What the service of journeys needs. */
export interface JourneyHandlersOptions extends PreprintMessageOptions {
  readonly database: PreparedQueryable
  readonly runtime: Runtime
}

/** The service of journeys. */
export function createJourneyHandlers({
  database,
  runtime,
  preprintMessage = readPrinted,
}: JourneyHandlersOptions): ServiceImpl<typeof JourneyService> {
  return {
    async getJourney({ id }, context) {
      const journey = await getJourney(database, callerOf(context), id, runtime.now())
      return preprintMessage(GetJourneyResponseSchema, ['{"data":', journey, '}'])
    },
  }
}
