import { createQueryOptions, TransportProvider } from '@connectrpc/connect-query'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { CallerService } from '../../gen/svc/v2/caller_pb.js'
import { pagesOptions } from './api/pages.js'
import { whyNot } from './api/rights.js'
import { createServiceTransport } from './api/transport.js'
import { restoreLostFocus } from './app/lost-focus.js'
import { createConsoleRouter } from './app/router.js'
import { readTheme } from './app/theme.js'
import { loadConfig } from './session/console-config.js'
import { createSession, takeTokenFromAddress } from './session/session.js'
import { SignInContext } from './session/session-context.js'

// Before anything else can read the address or go elsewhere.
const given = takeTokenFromAddress()
readTheme()
restoreLostFocus()
start().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error)
})

async function start(): Promise<void> {
  const config = await loadConfig()
  const session = createSession()
  const home = `${location.origin}${config.basePath}`
  const oidc = config.signIn && (await import('./session/oidc.js')).createOidcSignIn(config.signIn, home)
  let failure = given.fault
  // Where people sign in themselves, a link could make them work in the sign-in of whoever sent it.
  if (oidc === undefined) {
    if (given.token !== undefined) session.signIn({ token: given.token })
  } else {
    const result = await oidc.complete()
    failure = result.failure
    if (result.credential !== undefined) session.signIn(result.credential)
    else if (failure === undefined && oidc.mayTrySilently()) return oidc.begin(true)
  }
  const queries = new QueryClient({
    // The transport tries again what can be tried again.
    defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false } },
  })
  forgetOnSignOut(session, queries)
  const signIn = {
    session,
    oidc,
    failure,
    issuer: config.signIn && new URL(config.signIn.issuer).host,
    serviceUrl: home.replace(/\/console$/, ''),
  }
  const transport = createServiceTransport(signIn.serviceUrl, session)
  const caller = createQueryOptions(CallerService.method.getCaller, undefined, { transport })
  const asked: Promise<unknown>[] = []
  const router = createConsoleRouter(config.basePath, (method, input) => {
    const ask = async () => {
      const { data } = await queries.ensureQueryData(caller)
      if (data && whyNot(method, data) === undefined)
        await queries.prefetchInfiniteQuery(pagesOptions(transport, method, input))
    }
    if (session.state() === 'in') asked.push(ask().catch(() => {}))
  })
  // What is drawn before these are there is drawn once more. A list that takes longer is waited for by its screen.
  if (session.state() === 'in') {
    await Promise.all([queries.prefetchQuery(caller), router.load()])
    await Promise.race([Promise.all(asked), new Promise((go) => setTimeout(go, 150))])
  }
  createRoot(document.getElementById('root') ?? document.body).render(
    <StrictMode>
      <SignInContext value={signIn}>
        <TransportProvider transport={transport}>
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </TransportProvider>
      </SignInContext>
    </StrictMode>,
  )
}

/** What one person has read is not for the next one; whoever signs in again goes on with fresh answers. */
function forgetOnSignOut(session: ReturnType<typeof createSession>, queries: QueryClient): void {
  session.subscribe(() => {
    if (session.state() === 'out') queries.clear()
    if (session.state() === 'in') void queries.invalidateQueries()
  })
}
