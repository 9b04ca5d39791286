import { ConnectError } from '@connectrpc/connect'
import { BadRequestSchema, ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'

/** One fault of one field; `reason` is the name of a `svc.v2.ErrorReason`. */
export interface FieldFault {
  readonly field: string
  readonly description: string
  readonly reason: string
}

/** Why a call failed, as the name of a `svc.v2.ErrorReason`; undefined for what did not come from the service. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) return undefined
  return error.findDetails(ErrorInfoSchema)[0]?.reason ?? faultsOf(error)[0]?.reason
}

/** The facts that an error carries, such as `resourceId`; empty if it carries none. */
export function metadataOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ConnectError)) return {}
  return error.findDetails(ErrorInfoSchema)[0]?.metadata ?? {}
}

/** The faulty fields, and what is wrong with them; empty if no field is at fault. */
export function faultsOf(error: unknown): readonly FieldFault[] {
  if (!(error instanceof ConnectError)) return []
  const violations = error.findDetails(BadRequestSchema).flatMap((detail) => detail.fieldViolations)
  return violations.map(({ field, description, reason }) => ({ field, description, reason }))
}
