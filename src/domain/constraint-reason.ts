import { type ErrorReason, ServiceError } from '../errors.js'

const reasons: Readonly<Record<string, readonly [ErrorReason, string]>> = {
  app_resources_external_id_unique: [
    'EXTERNAL_ID_TAKEN',
    'another resource of the app instance and type has the external id: choose another one',
  ],
  app_resources_scoped_id_unique: [
    'SCOPED_ID_TAKEN',
    'another resource of the team has the short handle: choose another one',
  ],
  priorities_scoped_id_unique: [
    'SCOPED_ID_TAKEN',
    'another priority of the team has the short handle: choose another one',
  ],
  memberships_email_unique: [
    'EMAIL_TAKEN',
    'a member of the organization has the email address: choose another one, or update that member',
  ],
  memberships_primary_phone_unique: [
    'PHONE_TAKEN',
    'another member of the organization has the phone number: choose another one, or change that of the member first',
  ],
}

/** What the violation of a unique constraint means to a caller; nothing where callers cannot cause it. */
export function constraintReason(constraint: string, cause?: unknown): ServiceError | undefined {
  const reason = reasons[constraint]
  return reason === undefined ? undefined : new ServiceError(reason[0], reason[1], { cause })
}
