import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonObject } from '@bufbuild/protobuf'
import type { DirectoryContext } from '../domain/directory/directory-sync.js'
import { ScimError } from './error.js'
import type { Attribute } from './schema.js'

export interface ScimRequest {
  readonly context: DirectoryContext
  /** The variable of the path, decoded; empty if it has none. */
  readonly id: string
  readonly query: URLSearchParams
  /** The body; an empty object if the method has none. */
  readonly body: JsonObject
  /** The address of SCIM as the directory reaches it, such as `https://api.example.com/scim/v2`. */
  readonly baseUrl: string
  readonly report: ScimReport
}

export interface ScimAnswer {
  readonly status: number
  readonly body?: JsonObject | undefined
  readonly headers?: OutgoingHttpHeaders
}

/** A method and a path below the address of SCIM, such as `/Users/{id}`, and what answers them. */
export interface ScimRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The name of the operation in metrics and traces, such as `Users/Get`. */
  readonly operation: string
  /** Answers a request. Throws `ScimError` and the errors of the catalogue. */
  readonly handle: (request: ScimRequest) => Promise<ScimAnswer>
}

/** The report of a request for administrators: its subject, and the values that were left out. */
export class ScimReport {
  userName = ''
  externalId = ''
  /** Why values were left out, by the path of the attribute, without the URN of its schema. */
  readonly leftOut = new Map<string, string>()

  /** Names the person, as a body does or as the directory knows a user. */
  isAbout(userName = '', externalId: string | null = ''): void {
    this.userName = userName
    this.externalId = externalId ?? ''
  }

  /**
   * Reads the value of an attribute. For an invalid one, a strict attribute throws `invalidValue` or `noTarget`;
   * otherwise the fault is reported under the path, and the result is undefined.
   */
  read<Value>({ isStrict }: Attribute, path: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      const isAboutValue = error instanceof ScimError && ['invalidValue', 'noTarget'].includes(error.scimType ?? '')
      if (isStrict || !isAboutValue) throw error
      this.leftOut.set(path, error.detail)
      return undefined
    }
  }
}
