import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { create, toJsonString } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import {
  AccessPolicyApprovalProcedureService,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { type Carried, type Cut, type CutProxy, startCutProxy } from './cut-proxy.js'
import { execute, type Stage } from './stage.js'
import { allOf, atLeast, type Finding, type Trial } from './trial.js'

const TOGETHER = 16
/** How long to wait before a call without an answer is sent again, at most. */
const PAUSE_MILLIS = 20
const PATIENCE_MILLIS = 30_000
const POLICY = 'policy-1'

/** A call that makes something, through one protocol; undefined if it was not answered, or with a 503. */
type Send = (socket: Socket, key: string, token: string) => Promise<string | undefined>

const protocols: readonly { readonly name: string; readonly send: Send }[] = [
  { name: 'REST over HTTP/1.1', send: sendRest },
  { name: 'Connect over HTTP/1.1', send: sendConnect },
  { name: 'gRPC over HTTP/2', send: sendGrpc },
]

/**
 * Calls with an `Idempotency-Key` whose connection is cut at each byte of what is sent and of what is answered; the
 * caller sends them again, to the other of two processes, until there is an answer.
 */
export const cut: Trial = {
  name: 'cut',
  onEachDatabase: true,
  amount: { of: 'calls', full: 10_000, short: 90 },
  run: async (stage, calls) => {
    const runs = [await stage.serve(), await stage.serve()]
    const proxies = await Promise.all(runs.map(({ port }) => startCutProxy(port)))
    try {
      const findings: Finding[] = []
      for (const protocol of protocols) {
        findings.push(...(await cutThrough(stage, proxies, protocol, Math.ceil(calls / protocols.length))))
      }
      return findings
    } finally {
      for (const proxy of proxies) await proxy.close()
    }
  },
}

async function cutThrough(
  stage: Stage,
  proxies: readonly CutProxy[],
  { name, send }: (typeof protocols)[number],
  calls: number,
): Promise<readonly Finding[]> {
  const word = name.split(' ')[0] ?? ''
  const whole = await measure(stage, proxies, send, `${word}-whole`)
  let [sent, answered, again] = [0, 0, 0]
  const work = async (): Promise<void> => {
    while (sent < calls) {
      const index = sent++
      const key = `${word}-${String(index).padStart(5, '0')}`
      let answer: string | undefined
      for (let attempt = 0; answer === undefined; attempt++) {
        if (attempt > 0) again++
        if (attempt > 1) await wait(PAUSE_MILLIS * Math.random())
        const planned = attempt === 0 ? cutOf(index, calls, whole) : undefined
        const { socket } = await open(proxies, index + attempt, planned)
        answer = await send(socket, key, stage.tokens.key)
      }
      if (answer.includes('"id"')) answered++
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  const [row] = await execute(
    stage.connectionString,
    `SELECT count(*)::int AS effects, count(DISTINCT request_id)::int AS keys FROM audit_events
      WHERE action = 'approval_procedure.create' AND request_id ~ '^${word}-[0-9]+$'`,
  )
  return [
    atLeast(`${name}: bytes of a request and its answer, each a place to cut`, whole.request + whole.response, 1, ''),
    allOf(`${name}: calls that have an effect`, Number(row?.['keys']), calls),
    allOf(`${name}: effects of them`, Number(row?.['effects']), calls),
    allOf(`${name}: calls answered well in the end`, answered, calls),
    atLeast(`${name}: of them sent again`, again, calls / 2, ''),
  ]
}

/** The bytes of a call that nothing cuts. */
async function measure(stage: Stage, proxies: readonly CutProxy[], send: Send, key: string): Promise<Carried> {
  for (;;) {
    const { socket, carried } = await open(proxies, 0)
    const answer = await send(socket, key, stage.tokens.key)
    if (answer !== undefined) return carried
  }
}

function open(proxies: readonly CutProxy[], turn: number, planned?: Cut) {
  const proxy = proxies[turn % proxies.length]
  if (proxy === undefined) throw new Error('there is no proxy')
  return proxy.open(planned)
}

/** Every byte with both endings first, then any; fewer calls are spread over all bytes. */
function cutOf(index: number, calls: number, { request, response }: Carried): Cut {
  const bytes = request + response
  const isWalk = calls >= 2 * bytes
  const isRandom = index >= 2 * bytes
  const place = isRandom ? randomInt(bytes) : Math.floor(isWalk ? index / 2 : (index * bytes) / calls)
  const isReset = isRandom ? randomInt(2) === 0 : index % 2 === 0
  return place < request
    ? { of: 'request', after: place, isReset }
    : { of: 'response', after: place - request, isReset }
}

function sendRest(socket: Socket, key: string, token: string): Promise<string | undefined> {
  const path = `/v2/access-policies/${POLICY}/approval-procedures`
  return sendJson(socket, path, '{"steps":[{"approvers":[{"manager":{}}]}]}', { key, token })
}

function sendConnect(socket: Socket, key: string, token: string): Promise<string | undefined> {
  const path = `/${AccessPolicyApprovalProcedureService.typeName}/CreateAccessPolicyApprovalProcedure`
  return sendJson(socket, path, `{"accessPolicyId":"${POLICY}","steps":[{"approvers":[{"manager":{}}]}]}`, {
    key,
    token,
  })
}

function sendJson(
  socket: Socket,
  path: string,
  body: string,
  { key, token }: { readonly key: string; readonly token: string },
): Promise<string | undefined> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `idempotency-key: ${key}`,
    `x-request-id: ${key}`,
    `content-length: ${body.length}`,
  ]
  return new Promise((resolve) => {
    let received = ''
    const end = () => {
      resolve(received.startsWith('HTTP/1.1 503') || !isWhole(received) ? undefined : received)
      socket.destroy()
    }
    socket.setEncoding('latin1').setTimeout(PATIENCE_MILLIS, end)
    socket.on('data', (text: string) => {
      received += text
      if (isWhole(received)) end()
    })
    socket.on('error', end).on('close', end)
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  if (head < 0) return false
  return answer.length >= head + 4 + Number(/content-length: (\d+)/i.exec(answer.slice(0, head))?.[1])
}

/** How a client handles a connection that ends, and a busy service. */
const withoutAnswer = new Set([Code.Unavailable, Code.Unknown, Code.Internal, Code.Canceled, Code.Aborted])

async function sendGrpc(socket: Socket, key: string, token: string): Promise<string | undefined> {
  const baseUrl = 'http://localhost'
  const sessionManager = new Http2SessionManager(baseUrl, {}, { createConnection: () => socket })
  const client = createClient(
    AccessPolicyApprovalProcedureService,
    createGrpcTransport({ baseUrl, sessionManager, defaultTimeoutMs: PATIENCE_MILLIS }),
  )
  try {
    const request = create(CreateAccessPolicyApprovalProcedureRequestSchema, {
      accessPolicyId: POLICY,
      steps: [{ approvers: [{ kind: { case: 'manager', value: {} } }] }],
    })
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key, 'x-request-id': key }
    const answer = await client.createAccessPolicyApprovalProcedure(request, { headers })
    return toJsonString(CreateAccessPolicyApprovalProcedureResponseSchema, answer)
  } catch (error) {
    if (!(error instanceof ConnectError) || !withoutAnswer.has(error.code)) throw error
    return undefined
  } finally {
    sessionManager.abort()
    socket.destroy()
  }
}
