import type { Message } from '@bufbuild/protobuf'
import {
  type UpdateUserResponse,
  type UserProfileField,
  UserProfileFieldSchema,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import { enumText } from '../../api/words.js'

/** What the form of a person needs. */
export const personForm = {
  one: 'person',
  create: UserService.method.createUser,
  update: UserService.method.updateUser,
}

/** What can be edited of a person at once: the address changes alone, and the manager has a version of its own. */
export const profileFields = 'firstName lastName department jobTitle timezone locale primaryPhone avatarUrl'.split(' ')

/** What a write of a profile answers. */
export type SavedProfile = Pick<UpdateUserResponse, 'skippedPinnedFields' | 'skippedDirectoryLockedFields'>

/** What came of a write of a profile: nothing is skipped silently. */
export function savedText(answer: Message | SavedProfile): string {
  return `Saved. ${skippedText(answer as SavedProfile)}`.trim()
}

/** What a write of a profile has skipped, and why; empty for nothing. */
export function skippedText({ skippedPinnedFields, skippedDirectoryLockedFields }: SavedProfile): string {
  const skipped = (fields: readonly UserProfileField[], why: string) =>
    fields.length === 0
      ? ''
      : `Skipped because ${why}: ${fields.map((field) => enumText(UserProfileFieldSchema, field)).join(', ')}. `
  return `${skipped(skippedPinnedFields, 'they are pinned')}${skipped(skippedDirectoryLockedFields, 'the directory supplies them')}`
}
