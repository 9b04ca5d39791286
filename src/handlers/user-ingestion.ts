import type { ServiceImpl } from '@connectrpc/connect'
import { IngestionOutcome, type UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import type { SkippedFields } from '../domain/profile/field-ownership.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import { ingestUserProfiles, republishUser } from '../domain/user-ingestion.js'
import type { HandlerTools } from './handler-tools.js'
import { taggedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'
import { skippedFieldsToMessage } from './user.js'

/** The service of profiles that connected apps supply. */
export function createUserIngestionHandlers({ tally }: HandlerTools): ServiceImpl<typeof UserIngestionService> {
  const count = ({ skipped, skippedPhone }: { readonly skipped: SkippedFields; readonly skippedPhone: boolean }) => {
    tally?.fieldsSkipped(skipped)
    if (skippedPhone) tally?.phoneSkipped()
  }
  return {
    async ingestUserProfiles({ source, profiles }, context) {
      const results = await ingestUserProfiles(scopeOf(context), {
        source,
        profiles: profiles.map((profile) => ({
          externalId: profile.externalId,
          email: profile.email,
          managerEmail: profile.managerEmail,
          profile: profileInputFrom(profile),
        })),
      })
      results.forEach(count)
      const data = results.map(({ outcome, skipped, ...result }) => {
        return { outcome: IngestionOutcome[outcome], ...result, ...skippedFieldsToMessage(skipped) }
      })
      return { data }
    },

    async republishUser({ id }, context) {
      const { json, ...published } = await republishUser(scopeOf(context), id)
      count(published)
      const { skipped, skippedPhone, unresolvedManager } = published
      const others = { ...skippedFieldsToMessage(skipped), skippedPhone, unresolvedManager }
      return taggedAnswer(context, json, others)
    },
  }
}
