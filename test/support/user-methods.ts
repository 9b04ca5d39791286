import {
  callMethod,
  type MethodForms,
  type Outcome,
  type Protocol,
  type RequestJson,
  segment,
  withQuery,
} from './method-forms.js'
import type { TestService } from './service.js'

/** The methods about people, as both protocols know them. */
export const userMethods = {
  createUser: {
    procedure: 'svc.v2.UserService/CreateUser',
    rest: (json) => ({ method: 'POST', path: '/v2/users', json }),
  },
  updateUser: {
    procedure: 'svc.v2.UserService/UpdateUser',
    rest: ({ id, ...json }) => ({ method: 'PUT', path: `/v2/users/${segment(id)}`, json }),
  },
  batchUpdateUsers: {
    procedure: 'svc.v2.UserService/BatchUpdateUsers',
    rest: (json) => ({ method: 'PUT', path: '/v2/users/batch', json }),
  },
  deactivateUser: {
    procedure: 'svc.v2.UserService/DeactivateUser',
    rest: ({ id, ...json }) => ({ method: 'POST', path: `/v2/users/${segment(id)}:deactivate`, json }),
  },
  reactivateUser: {
    procedure: 'svc.v2.UserService/ReactivateUser',
    rest: ({ id, ...json }) => ({ method: 'POST', path: `/v2/users/${segment(id)}:reactivate`, json }),
  },
  endUserSessions: {
    procedure: 'svc.v2.UserService/EndUserSessions',
    rest: ({ id, ...json }) => ({ method: 'POST', path: `/v2/users/${segment(id)}:endSessions`, json }),
  },
  listUserSessions: {
    procedure: 'svc.v2.UserService/ListUserSessions',
    rest: ({ userId }) => ({ method: 'GET', path: `/v2/users/${segment(userId)}/sessions` }),
  },
  getUser: {
    procedure: 'svc.v2.UserService/GetUser',
    rest: ({ id }) => ({ method: 'GET', path: `/v2/users/${segment(id)}` }),
  },
  listUsers: {
    procedure: 'svc.v2.UserService/ListUsers',
    rest: (query) => ({ method: 'GET', path: withQuery('/v2/users', query) }),
  },
  deleteDepartmentOption: {
    procedure: 'svc.v2.UserService/DeleteDepartmentOption',
    rest: ({ id }) => ({ method: 'DELETE', path: `/v2/department-options/${segment(id)}` }),
  },
  listDepartmentOptions: {
    procedure: 'svc.v2.UserService/ListDepartmentOptions',
    rest: () => ({ method: 'GET', path: '/v2/department-options' }),
  },
  assign: {
    procedure: 'svc.v2.UserRelationshipService/CreateUserRelationship',
    rest: (json) => ({ method: 'POST', path: '/v2/user-relationships', json }),
  },
  clear: {
    procedure: 'svc.v2.UserRelationshipService/DeleteUserRelationship',
    rest: ({ userId, ...query }) => ({
      method: 'DELETE',
      path: withQuery(`/v2/user-relationships/${segment(userId)}`, query),
    }),
  },
  getRelationship: {
    procedure: 'svc.v2.UserRelationshipService/GetUserRelationship',
    rest: ({ userId, ...query }) => ({
      method: 'GET',
      path: withQuery(`/v2/user-relationships/${segment(userId)}`, query),
    }),
  },
  ingest: {
    procedure: 'svc.v2.UserIngestionService/IngestUserProfiles',
    rest: (json) => ({ method: 'POST', path: '/v2/user-ingestion/profiles', json }),
  },
  republish: {
    procedure: 'svc.v2.UserIngestionService/RepublishUser',
    rest: ({ id, ...json }) => ({ method: 'POST', path: `/v2/users/${segment(id)}:republish`, json }),
  },
  listAuditEvents: {
    procedure: 'svc.v2.AuditLogService/ListAuditEvents',
    rest: (query) => ({ method: 'GET', path: withQuery('/v2/audit-events', query) }),
  },
  listAuditActions: {
    procedure: 'svc.v2.AuditLogService/ListAuditActions',
    rest: () => ({ method: 'GET', path: '/v2/audit-actions' }),
  },
} as const satisfies Record<string, MethodForms>

/** Calls a method about people and returns any response. */
export type CallUserMethod = (
  name: keyof typeof userMethods,
  request: RequestJson,
  token?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Outcome>

/** Calls through one protocol, with a default token. */
export function userMethodCaller(
  service: () => TestService,
  protocol: Protocol,
  defaultToken: () => string,
): CallUserMethod {
  return (name, request, token = defaultToken(), headers = {}) =>
    callMethod(service(), userMethods[name], { protocol, request, token: token === '' ? undefined : token, headers })
}

/** The user of a response, with the ownership as one text per field: `JOB_TITLE: PINNED`, without automation's. */
export function ownersOf(user: {
  readonly fieldOwnership: readonly { readonly field: string; readonly owner: string }[]
}): string[] {
  return user.fieldOwnership
    .map(({ field, owner }) => `${field.replace('USER_PROFILE_FIELD_', '')}: ${owner.replace('FIELD_OWNER_', '')}`)
    .filter((text) => !text.endsWith(': AUTOMATION'))
}
