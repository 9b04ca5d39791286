import type { ServiceImpl } from '@connectrpc/connect'
import { IngestionOutcome, SourceProfileSchema, type UserIngestionService } from '../../gen/svc/v2/user_ingestion_pb.js'
import { UserProfileField } from '../../gen/svc/v2/user_pb.js'
import { profileInputFrom } from '../domain/profile/profile-value.js'
import { ingestUserProfiles, type PublishedFields, republishUser } from '../domain/user-ingestion.js'
import type { HandlerTools } from './handler-tools.js'
import { rawJsonWithEtag } from './raw-json.js'
import { callContextOf } from './request-context.js'
import { countSkippedFields, refusalToMessage } from './user.js'

/** The service of profiles that connected apps supply. */
export function createUserIngestionHandlers({
  tally,
  limitCheck,
}: HandlerTools): ServiceImpl<typeof UserIngestionService> {
  const counted = ({ changes, leftOut }: PublishedFields) => {
    const skippedPhone = leftOut.has('PRIMARY_PHONE')
    if (skippedPhone) tally?.phoneSkipped()
    return { ...countSkippedFields(changes, tally), skippedPhone, unresolvedManager: leftOut.has('MANAGER') }
  }
  return {
    async ingestUserProfiles({ source, profiles }, context) {
      const results = await ingestUserProfiles(callContextOf(context), {
        source,
        profiles: profiles.map((profile) => ({
          externalId: profile.externalId,
          email: profile.email,
          managerEmail: profile.managerEmail,
          profile: profileInputFrom(profile),
          limits: limitCheck(SourceProfileSchema, profile),
        })),
      })
      const data = results.map(({ externalId, userId, outcome, refusedValues, refusal, ...fields }) => ({
        outcome: IngestionOutcome[outcome],
        externalId,
        userId,
        refusedValues: refusedValues.map(({ field, message }) => ({ field: UserProfileField[field], message })),
        ...(refusal !== undefined && { refusal: refusalToMessage(refusal) }),
        ...counted(fields),
      }))
      return { data }
    },

    async republishUser({ id }, context) {
      const { user, ...fields } = await republishUser(callContextOf(context), id)
      return rawJsonWithEtag(context, user, counted(fields))
    },
  }
}
