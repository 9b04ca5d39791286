import { create, toBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { GetJourneyRequestSchema } from '../../gen/svc/v2/journey_pb.js'
import { journeyId, place } from '../../harness/records.js'
import type { AnyRequest, TextRequest } from './caller-slots.js'

/** So many rounds write other rows: of an organization, few people write the same ones at once. */
const ROUNDS = 10

/** Calls in the proportions of a working day, to be sent in turns: of twenty, six write, and one is answered 404. */
export function mixedRequests(token: string): AnyRequest[] {
  return Array.from({ length: ROUNDS }, (_, round) => twentyRequests(token, round)).flat()
}

function twentyRequests(token: string, round: number): AnyRequest[] {
  const rest = (line: string, json?: object, { status = 200, key = false } = {}): TextRequest => {
    const body = json === undefined ? '' : JSON.stringify(json)
    const head = [
      `${line} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${token}`,
      ...(json === undefined ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
      ...(key ? ['idempotency-key: endurance-{serial}'] : []),
    ]
    return { text: `${head.join('\r\n')}\r\n\r\n${body}`, status }
  }
  const journey = (index: number) => rest(`GET /v2/journeys/${journeyId(index)}`)
  const priority = (index: number, key = false) =>
    rest(`PATCH /v2/priorities/priority-${5 * round + index}`, { name: `Priority ${index}` }, { key })
  const user = 2 * round + 1
  const department = rest(`PUT /v2/users/user-${user}`, { department: `Department ${user}` })
  const resources = Array.from({ length: 10 }, (_, index) => resource(10 * round + index))
  const grpc = (index: number): AnyRequest => {
    const message = toBinary(GetJourneyRequestSchema, create(GetJourneyRequestSchema, { id: journeyId(index) }))
    const body = Buffer.from(encodeEnvelope(0, message)).toString('base64')
    return { path: '/svc.v2.JourneyService/GetJourney', token, body }
  }
  return [
    journey(0),
    priority(1),
    grpc(1),
    rest(`GET /v2/app-instances?teamId=${place.team}&pageSize=20`),
    journey(2),
    department,
    journey(3),
    rest('GET /v2/users?pageSize=10'),
    priority(2, true),
    grpc(4),
    journey(5),
    rest('PUT /v2/app-resources/batch', { resources }),
    journey(6),
    priority(3),
    grpc(7),
    rest(`GET /v2/journeys/${journeyId(999_999)}`, undefined, { status: 404 }),
    journey(8),
    priority(4, true),
    rest('GET /v2/department-options'),
    journey(9),
  ]
}

function resource(index: number) {
  return { id: `resource-${index}`, name: `Resource ${index}` }
}
