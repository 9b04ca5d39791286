import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { GetJourneyResponseSchema, type JourneyService } from '../../gen/svc/v2/journey_pb.js'
import type { PreparedQueryable } from '../db/queryable.js'
import { getJourney } from '../domain/journey/journey.js'
import { utcDateOf } from '../domain/journey/journey-progress.js'
import type { Runtime } from '../runtime/runtime.js'
import { journeyToMessage } from './journey-message.js'
import { type PreprintOptions, readAtOnce } from './preprint-list.js'
import { callerOf } from './request-context.js'

/** What the service of journeys needs. */
export interface JourneyHandlersOptions extends PreprintOptions {
  readonly database: PreparedQueryable
  readonly runtime: Runtime
}

/** The service of journeys. */
export function createJourneyHandlers({
  database,
  runtime,
  preprintList = readAtOnce,
}: JourneyHandlersOptions): ServiceImpl<typeof JourneyService> {
  return {
    async getJourney({ id }, context) {
      const journey = await getJourney(database, callerOf(context), id, utcDateOf(runtime.now()))
      const response = create(GetJourneyResponseSchema)
      response.data = journeyToMessage(journey, preprintList)
      return response
    },
  }
}
