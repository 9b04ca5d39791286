import { defineService, type MethodInit } from './fixture.js'

// One field of a message that has a required one.
function demanding(field: string): MethodInit {
  const rule = { get: `/v1/demanding/${field}`, responseBody: field }
  return { rule, input: 'Demanding', output: 'Demanding' }
}

/** The service of the requests in `rows`: every kind of rule, on the messages of `proto`. */
export const service = defineService({
  Get: { rule: { get: '/v1/things/{id}' } },
  Archive: { rule: { post: '/v1/things/{id}:archive', body: '*' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  List: { rule: { get: '/v1/things' } },
  PutLeaf: { rule: { put: '/v1/things/{id}/leaf', body: 'leaf' } },
  PatchNested: { rule: { patch: '/v1/{leaf.name=leaves/*}', body: 'leaf' } },
  SetNames: { rule: { put: '/v1/things/{id}/names', body: 'names' } },
  SetLabels: { rule: { put: '/v1/things/{id}/labels', body: 'labels' } },
  SetCount: { rule: { put: '/v1/things/{id}/count', body: 'i64' } },
  SetText: { rule: { put: '/v1/things/{id}/text', body: 'opt' } },
  SetAt: { rule: { put: '/v1/things/{id}/at', body: 'at' } },
  SetWrapper: { rule: { put: '/v1/things/{id}/wrapper', body: 'int64_wrapper' } },
  SetValue: { rule: { put: '/v1/things/{id}/value', body: 'value' } },
  SetChoice: { rule: { put: '/v1/things/{id}/choice', body: 'choice_leaf' } },
  GetLeaf: { rule: { get: '/v1/things/{id}/leaf', responseBody: 'leaf' } },
  GetNames: { rule: { get: '/v1/things/{id}/names', responseBody: 'names' } },
  GetLabels: { rule: { get: '/v1/things/{id}/labels', responseBody: 'labels' } },
  GetCount: { rule: { get: '/v1/things/{id}/count', responseBody: 'i64' } },
  GetOpt: { rule: { get: '/v1/things/{id}/text', responseBody: 'opt' } },
  GetColor: { rule: { get: '/v1/things/{id}/color', responseBody: 'color' } },
  GetAt: { rule: { get: '/v1/things/{id}/at', responseBody: 'at' } },
  GetWrapper: { rule: { get: '/v1/things/{id}/wrapper', responseBody: 'int64_wrapper' } },
  GetChoice: { rule: { get: '/v1/things/{id}/choice', responseBody: 'choice_text' } },
  GetFile: { rule: { get: '/v1/files/{id=**}' } },
  Multi: {
    rule: {
      get: '/v1/{id=shelves/*/books/*}',
      additional: [{ get: '/v2/books/{id}' }, { post: '/v2/books', body: '*' }],
    },
  },
  PathInt: { rule: { get: '/v1/int/{i32}' } },
  PathLong: { rule: { get: '/v1/long/{i64}' } },
  PathColor: { rule: { get: '/v1/color/{color}' } },
  PathAt: { rule: { get: '/v1/at/{at}' } },
  PathChoice: { rule: { post: '/v1/choice/{choice_text}', body: '*' } },
  PathDeep: { rule: { post: '/v1/deep/{self.leaf.name}', body: '*' } },
  Purge: { rule: { custom: { kind: 'PURGE', path: '/v1/things/{id}' } } },
  Anything: { rule: { custom: { kind: '*', path: '/v1/any/{id}' } } },
  AnyGet: { rule: { get: '/v1/any/{id}', responseBody: 'id' } },
  Delete: { rule: { delete: '/v1/things/{id}' } },
  Upload: { rule: { post: '/v1/things/{id}/file', body: 'file' } },
  Download: { rule: { get: '/v1/things/{id}/file', responseBody: 'file' } },
  Raw: { rule: { post: '/v1/raw', body: '*' }, input: 'google.api.HttpBody', output: 'google.api.HttpBody' },
  Old: { rule: { get: '/v1/old', additional: [{ post: '/v1/old', body: '*' }] }, input: 'Old', output: 'Old' },
  Demanding: {
    rule: { get: '/v1/demanding', additional: [{ post: '/v1/demanding/{name}', body: '*' }] },
    input: 'Demanding',
    output: 'Demanding',
  },
  DemandingClosed: demanding('closed'),
  DemandingData: demanding('data'),
  DemandingRatio: demanding('ratio'),
  DemandingBig: demanding('big'),
  DemandingNext: demanding('next'),
  Instant: {
    rule: { get: '/v1/instant' },
    input: 'google.protobuf.Timestamp',
    output: 'google.protobuf.Timestamp',
  },
  Crossed: {
    rule: { get: '/v1/crossed', additional: [{ post: '/v1/crossed', body: '*' }] },
    input: 'Crossed',
    output: 'Crossed',
  },
  Unmapped: {},
})
