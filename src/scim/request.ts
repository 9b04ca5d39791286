import type { JsonObject } from '@bufbuild/protobuf'
import type { UserTables } from '../db/tables.js'
import type { Directory } from '../domain/directory/directory-sync.js'
import type { WriteContext } from '../runtime/write-context.js'
import type { ScimReport } from './report.js'

/** A request of a directory, whose body is read. */
export interface ScimRequest {
  readonly directory: Directory
  /** The variables of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Empty if the method has none. */
  readonly body: JsonObject
  readonly ifNoneMatch: string | undefined
  /** The address of the door as the directory reaches it, such as `https://api.example.com/scim/v2`. */
  readonly baseUrl: string
  /** The tables of the call. */
  readonly database: UserTables
  readonly context: WriteContext
  readonly report: ScimReport
}

/** The answer to it. */
export interface ScimAnswer {
  readonly status: number
  readonly body?: JsonObject | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers a request. Throws `ScimError` and the errors of the catalogue. */
export type ScimHandler = (request: ScimRequest) => Promise<ScimAnswer>

/** A method and a path below the door, such as `/Users/{id}`, and what answers them. */
export interface ScimRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The name of the operation in metrics and traces, such as `Users/Get`. */
  readonly operation: string
  readonly handle: ScimHandler
}
