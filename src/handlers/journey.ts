import type { ServiceImpl } from '@connectrpc/connect'
import { GetJourneyResponseSchema, type JourneyService } from '../../gen/svc/v2/journey_pb.js'
import { getJourney } from '../domain/journey.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** What the service of journeys needs. */
export interface JourneyHandlersOptions extends PrintedAnswerOptions {}

/** The service of journeys. */
export function createJourneyHandlers({ printedAnswer }: JourneyHandlersOptions): ServiceImpl<typeof JourneyService> {
  return {
    async getJourney({ id }, context) {
      const journey = await getJourney(scopeOf(context), id)
      return printedAnswer(GetJourneyResponseSchema, journey)
    },
  }
}
