import type { ServiceImpl } from '@connectrpc/connect'
import { GetJourneyResponseSchema, type JourneyService } from '../../gen/svc/v2/journey_pb.js'
import type { Reads } from '../db/queryable.js'
import { getJourney } from '../domain/journey.js'
import type { Runtime } from '../runtime/runtime.js'
import { databaseOf } from './call-database.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'

/** What the service of journeys needs. */
export interface JourneyHandlersOptions extends PrintedAnswerOptions {
  readonly database: Reads
  readonly runtime: Runtime
}

/** The service of journeys. */
export function createJourneyHandlers({
  database,
  runtime,
  printedAnswer,
}: JourneyHandlersOptions): ServiceImpl<typeof JourneyService> {
  return {
    async getJourney({ id }, context) {
      const journey = await getJourney(databaseOf(context, database).reads, callerOf(context), id, runtime.now())
      return printedAnswer(GetJourneyResponseSchema, journey)
    },
  }
}
