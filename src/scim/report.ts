import type { JsonObject } from '@bufbuild/protobuf'
import type { DirectoryUserRow } from '../store/directory/user.js'
import { ScimError } from './error.js'
import { textIn } from './json.js'
import type { Attribute } from './schema.js'
import { userNameOf } from './user-attributes.js'

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
  isAboutUser(user: DirectoryUserRow): void {
    this.userName = userNameOf(user)
    this.externalId = user.directoryExternalId ?? ''
  }

  /** The value that is read; of an optional attribute undefined, and reported, if it throws `invalidValue`. */
  read<Value>({ name, isOptional }: Attribute, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!isOptional || !(error instanceof ScimError) || error.scimType !== 'invalidValue') throw error
      this.leftOut.set(name, error.detail)
      return undefined
    }
  }
}
