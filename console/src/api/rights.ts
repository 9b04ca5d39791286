import { type DescMethodUnary, getOption } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt'
import { access, Callers, CredentialKind } from '../../../gen/svc/v2/access_pb.js'
import type { Caller } from '../../../gen/svc/v2/caller_pb.js'
import { GroupService } from '../../../gen/svc/v2/group_pb.js'
import { UserRole, UserService } from '../../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../../gen/svc/v2/user_relationship_pb.js'

/** What a call is about, as far as rights depend on it. */
export interface RightSubject {
  /** The team of the object. */
  readonly teamId?: string | undefined
  /** The person that the object belongs to. */
  readonly userId?: string | undefined
}

/** Why a caller may not call a method, in words, as far as the rule of the schema says; undefined if they may. */
export function whyNot(method: DescMethodUnary, caller: Caller, subject: RightSubject = {}): string | undefined {
  const rule = getOption(method, access)
  if (rule.credentialKinds.length > 0 && !rule.credentialKinds.includes(caller.kind))
    return 'This kind of token cannot do this.'
  if (rule.userRelationSuffices && subject.userId === caller.id) return undefined
  if (rule.permission === '') {
    const isAdmin = caller.role === UserRole.ORG_ADMIN || caller.kind !== CredentialKind.USER_TOKEN
    return rule.callers === Callers.ALL || isAdmin ? undefined : 'Only administrators can do this.'
  }
  const teams = caller.teams.filter(({ teamId }) => subject.teamId === undefined || teamId === subject.teamId)
  const isGranted = [caller, ...(isOfOrganization(method) ? [] : teams)].some(({ permissions }) =>
    permissions.includes(rule.permission),
  )
  return isGranted ? undefined : `You need the permission ${rule.permission} here.`
}

/** Whether a caller looks after the organization, rather than only their own work. */
export function isOverseer(caller: Caller): boolean {
  return caller.role === UserRole.ORG_ADMIN || caller.permissions.length > 0
}

/** Whether a permission in a team does not reach what a method is about: groups, what is written of people, and new teams. */
function isOfOrganization({ parent, name, idempotency }: DescMethodUnary): boolean {
  const isOfPeople = [UserService, UserRelationshipService].some(({ typeName }) => typeName === parent.typeName)
  const isWrite = idempotency !== Idempotency.NO_SIDE_EFFECTS
  return parent.typeName === GroupService.typeName || name === 'CreateTeam' || (isOfPeople && isWrite)
}
