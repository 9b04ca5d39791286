import type { RestAnswer, RestCall } from './service.js'

/** Where the races run: the service, and an organization key of it. */
export interface RaceGround {
  readonly rest: (method: string, path: string, call: RestCall) => Promise<RestAnswer>
  readonly keyToken: string
}

/** How often each outcome occurred: `200`, or the status and the code, such as `409 already_exists`. */
export type OutcomeCounts = Readonly<Record<string, number>>

/** The result of a race for a unique value. */
export interface ClaimRace {
  /** Winners of each round. */
  readonly winners: readonly number[]
  readonly outcomes: OutcomeCounts
}

/**
 * Every claimer asks for the same new phone number at once, round after round; every fourth claims through ingestion,
 * as a profile of that user.
 */
export async function racePhones(ground: RaceGround, userIds: readonly string[], rounds: number): Promise<ClaimRace> {
  return raceClaims(rounds, userIds, async (userId, index, round) => {
    const primaryPhone = `+1312555${String(round).padStart(4, '0')}`
    if (index % 4 !== 0) {
      const answer = await put(ground, `/v2/users/${userId}`, { primaryPhone })
      return { answer, won: answer.status === 200 }
    }
    const profiles = [{ externalId: userId, email: `${userId}@example.com`, primaryPhone }]
    const answer = await ground.rest('POST', '/v2/user-ingestion/profiles', {
      token: ground.keyToken,
      json: { source: `race-${index}`, profiles },
    })
    return { answer, won: answer.status === 200 && answer.json.data[0].skippedPhone === false }
  })
}

/** Every claimer asks for the same new email address at once; every fourth as a new user. */
export async function raceEmails(ground: RaceGround, userIds: readonly string[], rounds: number): Promise<ClaimRace> {
  return raceClaims(rounds, userIds, async (userId, index, round) => {
    const email = `claimed-${round}@example.com`
    const answer =
      index % 4 === 0
        ? await ground.rest('POST', '/v2/users', { token: ground.keyToken, json: { email } })
        : await put(ground, `/v2/users/${userId}`, { email })
    return { answer, won: answer.status === 200 }
  })
}

async function raceClaims(
  rounds: number,
  userIds: readonly string[],
  claim: (
    userId: string,
    index: number,
    round: number,
  ) => Promise<{ readonly answer: RestAnswer; readonly won: boolean }>,
): Promise<ClaimRace> {
  const winners: number[] = []
  const outcomes: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const claims = await Promise.all(userIds.map((userId, index) => claim(userId, index, round)))
    for (const { answer } of claims) count(outcomes, answer)
    winners.push(claims.filter(({ won }) => won).length)
  }
  return { winners, outcomes }
}

/** The result of the races between a person's write and automation. */
export interface PinRace {
  /** Rounds after which the person's value did not stand, or was not pinned. */
  readonly lost: number
  readonly outcomes: OutcomeCounts
}

/** A person writes their own job title while a key and ingestion write it as automation, round after round. */
export async function racePins(
  ground: RaceGround,
  { userId, userToken }: { readonly userId: string; readonly userToken: string },
  rounds: number,
): Promise<PinRace> {
  const path = `/v2/users/${userId}`
  const outcomes: Record<string, number> = {}
  let lost = 0
  for (let round = 0; round < rounds; round++) {
    await put(ground, path, { releaseFields: ['USER_PROFILE_FIELD_JOB_TITLE'] })
    const email = `${userId}@example.com`
    const profiles = [{ externalId: userId, email, jobTitle: `Ingested ${round}` }]
    const answers = await Promise.all([
      put(ground, path, { jobTitle: `Automatic ${round}` }),
      ground.rest('POST', '/v2/user-ingestion/profiles', {
        token: ground.keyToken,
        json: { source: 'race', profiles },
      }),
      put(ground, path, { jobTitle: `Own ${round}` }, userToken),
      put(ground, path, { jobTitle: `Automatic again ${round}` }),
    ])
    for (const answer of answers) count(outcomes, answer)
    const { json } = await ground.rest('GET', path, { token: ground.keyToken })
    const owner = json.data.fieldOwnership.find(
      (entry: { field: string }) => entry.field === 'USER_PROFILE_FIELD_JOB_TITLE',
    ).owner
    if (json.data.jobTitle !== `Own ${round}` || owner !== 'FIELD_OWNER_PINNED') lost += 1
  }
  return { lost, outcomes }
}

function put(ground: RaceGround, path: string, json: unknown, token = ground.keyToken): Promise<RestAnswer> {
  return ground.rest('PUT', path, { token, json })
}

function count(outcomes: Record<string, number>, { status, json }: RestAnswer): void {
  const outcome = status === 200 ? '200' : `${status} ${json.code}`
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
}
