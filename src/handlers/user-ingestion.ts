import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  IngestionOutcome,
  IngestionResultSchema,
  IngestUserProfilesResponseSchema,
  RepublishUserResponseSchema,
  type UserIngestionService,
} from '../../gen/svc/v2/user_ingestion_pb.js'
import type { Store } from '../db/queryable.js'
import { ingestUserProfiles } from '../domain/user-ingestion/user-ingestion.js'
import { republishUser } from '../domain/user-ingestion/user-republication.js'
import type { Runtime } from '../runtime/runtime.js'
import { profileInputFrom, skippedFieldsToMessage } from './profile-field.js'
import { callerOf } from './request-context.js'
import { userToMessage } from './user-message.js'
import { writeContextOf } from './write-context.js'

/** The service of profiles that connected apps supply. */
export function createUserIngestionHandlers({
  database,
  runtime,
}: {
  readonly database: Store
  readonly runtime: Runtime
}): ServiceImpl<typeof UserIngestionService> {
  return {
    async ingestUserProfiles({ source, profiles }, context) {
      const results = await ingestUserProfiles(
        database,
        callerOf(context),
        {
          source,
          profiles: profiles.map((profile) => ({
            externalId: profile.externalId,
            email: profile.email,
            managerEmail: profile.managerEmail,
            profile: profileInputFrom(profile),
          })),
        },
        writeContextOf(runtime, context),
      )
      return create(IngestUserProfilesResponseSchema, {
        data: results.map(({ outcome, skipped, ...result }) =>
          create(IngestionResultSchema, {
            ...result,
            outcome: IngestionOutcome[outcome],
            ...skippedFieldsToMessage(skipped),
          }),
        ),
      })
    },

    async republishUser({ id }, context) {
      const { member, skipped, skippedPhone, unresolvedManager } = await republishUser(
        database,
        callerOf(context),
        id,
        writeContextOf(runtime, context),
      )
      return create(RepublishUserResponseSchema, {
        data: userToMessage(member),
        ...skippedFieldsToMessage(skipped),
        skippedPhone,
        unresolvedManager,
      })
    },
  }
}
