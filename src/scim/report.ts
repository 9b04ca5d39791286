import type { JsonObject } from '@bufbuild/protobuf'
import type { ScimUserRow } from '../store/scim/user.js'
import { ScimError } from './error.js'
import { textIn, userNameOf } from './user-document.js'

/** What administrators are told of a request beside its answer: whom it is about, and what was left out of it. */
export class ScimReport {
  userName = ''
  externalId = ''
  /** Why values were left out, by the name of the attribute. */
  readonly leftOut = new Map<string, string>()

  /** Names the person as the body of a request does. */
  isAboutBody(body: JsonObject): void {
    this.userName = textIn(body, 'userName') ?? ''
    this.externalId = textIn(body, 'externalId') ?? ''
  }

  /** Names the person as the directory knows a user. */
  isAboutUser(user: ScimUserRow): void {
    this.userName = userNameOf(user)
    this.externalId = user.directoryExternalId ?? ''
  }

  /** The value that is read; undefined, and reported, if it throws `invalidValue`. */
  readOptional<Value>(attribute: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ScimError) || error.scimType !== 'invalidValue') throw error
      this.leftOut.set(attribute, error.detail)
      return undefined
    }
  }
}
