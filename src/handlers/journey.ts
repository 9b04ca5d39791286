import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { GetJourneyResponseSchema, type JourneyService } from '../../gen/svc/v2/journey_pb.js'
import type { Sql } from '../db/sql.js'
import { getJourney } from '../domain/journey.js'
import { utcDateOf } from '../domain/journey-progress.js'
import type { Runtime } from '../domain/runtime.js'
import { journeyToMessage } from './journey-message.js'
import { callerOf } from './request-context.js'

/** The service of journeys. */
export function createJourneyHandlers({
  database,
  runtime,
}: {
  readonly database: Sql
  readonly runtime: Runtime
}): ServiceImpl<typeof JourneyService> {
  return {
    async getJourney({ id }, context) {
      const journey = await getJourney(database, callerOf(context), id)
      return create(GetJourneyResponseSchema, { data: journeyToMessage(journey, utcDateOf(runtime.now())) })
    },
  }
}
