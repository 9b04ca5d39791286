import { bad, get, ok, type Row, send } from './row.js'

export const methods: readonly Row[] = [
  {
    name: 'a wrong method names the right ones',
    request: { method: 'PUT', target: '/v1/things/a' },
    status: 405,
    error: 'PUT is not allowed here: use DELETE, GET, HEAD, OPTIONS, PURGE',
    headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PURGE' },
  },
  {
    name: 'OPTIONS lists the methods',
    request: { method: 'OPTIONS', target: '/v1/things' },
    status: 204,
    text: '',
    headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  },
  {
    name: 'the methods of a verb and of the path below it',
    request: { method: 'OPTIONS', target: '/v1/things/a:archive' },
    status: 204,
    headers: { allow: 'DELETE, GET, HEAD, OPTIONS, POST, PURGE' },
  },
  {
    name: 'OPTIONS * asks about the server itself',
    request: { method: 'OPTIONS', target: '*', body: '' },
    status: 204,
    text: '',
  },
  {
    name: 'HEAD is GET without a body',
    request: { method: 'HEAD', target: '/v1/things/a' },
    status: 200,
    text: '',
    headers: { 'content-length': '11', 'content-type': 'application/json' },
  },
  {
    name: 'HEAD of a bad request has its status',
    request: { method: 'HEAD', target: '/v1/int/x' },
    status: 400,
    text: '',
  },
  ok('a custom kind', { method: 'PURGE', target: '/v1/things/a' }, { id: 'a' }),
  ok('the kind * accepts every method', { method: 'REPORT', target: '/v1/any/a' }, { id: 'a' }),
  ok('a named method wins over the kind *', get('/v1/any/a'), 'a'),
  bad(
    'a method without a rule has no path',
    send('POST', '/rest.test.v1.TestService/Unmapped', '{}'),
    'no such path',
    404,
  ),
]
