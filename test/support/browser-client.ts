import { ConnectError, createClient, reasonOf } from '../../client/src/index.js'

/** What the test passes to the page. */
interface Settings {
  readonly baseUrl: string
  readonly token: string
  readonly journeyId: string
}

/** What a page can do with the client: a call that succeeds, and one that is refused. */
async function callService({ baseUrl, token, journeyId }: Settings) {
  const retry = { maxAttempts: 1 }
  const svc = createClient({ baseUrl, credentials: { token }, retry })
  const { data } = await svc.journeys.getJourney({ id: journeyId })
  const stranger = createClient({ baseUrl, credentials: { token: 'svc_token_nothing' }, retry })
  const error: unknown = await stranger.journeys.getJourney({ id: journeyId }).catch((thrown: unknown) => thrown)
  const challenge = error instanceof ConnectError ? error.metadata.get('www-authenticate') : null
  return { name: data?.name, challenge, reason: reasonOf(error) }
}

Object.assign(globalThis, { callService })
