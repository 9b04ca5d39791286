import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { countPresses, expectDocumented } from '../support/console-presses.js'
import { type SignInIssuer, startSignInIssuer } from '../support/sign-in-issuer.js'

const AUDIENCE = 'https://svc.example.com/'

let issuer: SignInIssuer
let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  // Everybody is Ada, but for a stranger.
  issuer = await startSignInIssuer(AUDIENCE, (login) =>
    login === 'ada' ? 'ada@acme.example' : `${login}@elsewhere.example`,
  )
  console = await startTestConsole({
    config: {
      oidc: {
        issuer: issuer.url,
        audience: AUDIENCE,
        organization: undefined,
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
      },
      consoleOidcClientId: 'console',
      consoleOidcScopes: 'openid email offline_access',
    },
  })
  await issuer.serve(`${console.service.baseUrl}/console`)
})
afterAll(async () => {
  await console.stop()
  await issuer.stop()
})

describe('signing in with an issuer', () => {
  it('asks first without a question, then offers to sign in', async () => {
    opened = await console.open('/people?department=IT')
    await opened.page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ }).waitFor()
    expect(opened.requested.some((url) => url.startsWith(issuer.url) && url.includes('prompt=none'))).toBe(true)
    expect(opened.page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
  })

  it('takes no token from a link, which would sign people in as whoever sent it, and removes it from the address', async () => {
    const { page } = opened
    await page.goto('about:blank')
    await page.goto(`${console.service.baseUrl}/console/people?department=IT#token=svc_user_of_somebody_else`)
    await page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ }).waitFor()
    expect(page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
  })

  it('comes back to the address that was asked for, as the person whom the issuer names', async () => {
    const { page } = opened
    await page.getByRole('button', { name: /^Sign in with/ }).click()
    await page.locator('input[name=login]').fill('ada')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    // The issuer asks for consent, once.
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
    await page.getByText('Ada Lindqvist').first().waitFor()
    const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(stored).not.toMatch(/eyJ/)
  })

  it('is renewed when its token ends, and nobody notices', async () => {
    const { page } = opened
    const body = JSON.stringify({ code: 'unauthenticated', message: 'the token has ended' })
    const ended = { status: 401, contentType: 'application/json', body }
    await page.route('**/svc.v2.UserService/ListUsers', (route) => route.fulfill(ended), { times: 1 })
    const renewal = page.waitForRequest((request) => request.postData()?.includes('grant_type=refresh_token') === true)
    await page.getByLabel('Name or email').fill('bel')
    expect((await renewal).url()).toMatch(issuer.url)
    await page.getByRole('link', { name: 'Béla Kovács' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.waitForURL(/q=bel/)
    await page.getByLabel('Name or email').fill('')
    await page.waitForURL((url) => !url.searchParams.has('q'))
  })

  it('needs no question after a reload', async () => {
    const { page } = opened
    await page.reload()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
  })

  it('ends at the issuer too, and a reload does not sign in again', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
    expect(opened.complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
  })

  it('tells somebody whom only the issuer knows which address it was, and lets them be somebody else', async () => {
    const { page } = opened
    const takePresses = await countPresses(page)
    const signInAs = async (login: string) => {
      await page.getByRole('button', { name: /^Sign in with/ }).click()
      await page.locator('input[name=login]').fill(login)
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await signInAs('eve')
    await page.getByRole('heading', { name: 'You are signed in, but have no access' }).waitFor()
    await page.getByText('eve@elsewhere.example').waitFor()
    await page.getByText('An administrator must add the address').waitFor()
    expect(await page.getByText('Your sign-in has ended').count()).toBe(0)
    // The issuer's session is still Eve's: a reload does not go round in a circle either.
    await page.reload()
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await signInAs('ada')
    await page.getByText('Ada Lindqvist').first().waitFor()
    expectDocumented(
      'tells somebody whom only the issuer knows which address it was, and lets them be somebody else',
      await takePresses(),
    )
  })

  it('offers another sign-in where the issuer cannot sign anybody out', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('button', { name: /^Sign in with/ }).click()
    await page.locator('input[name=login]').fill('mallory')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('mallory@elsewhere.example').waitFor()
    await page.route(`${issuer.url}/.well-known/**`, async (route) => {
      const { end_session_endpoint: _, ...others } = JSON.parse(await (await route.fetch()).text())
      await route.fulfill({ json: others })
    })
    await page.reload()
    await page.getByText('mallory@elsewhere.example').waitFor()
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click()
    await page.getByRole('button', { name: /^Sign in with/ }).click()
    // Not signed in as Mallory again without a question.
    await page.locator('input[name=login]').waitFor()
  })

  it('says that a pasted token is refused, and takes another', async () => {
    const { page } = await console.open('/people')
    // The issuer's session is still Mallory's.
    await page.getByRole('button', { name: 'Use a token instead' }).click()
    const token = await console.token()
    const ended = ['{}', '{"exp": 1700000000}', 'signature'].map((part) => Buffer.from(part).toString('base64url'))
    const wrong = {
      [token.slice(0, -3)]: 'A part of this token is missing',
      [`${token}.`]: 'This has characters that no token has',
      [`svc_secret_pk_${token.slice(-49)}`]: 'This is the secret of an API key',
      [ended.join('.')]: 'This token has ended',
    }
    for (const [text, words] of Object.entries(wrong)) {
      await page.getByLabel('Or paste a token').fill(text)
      await page.getByRole('button', { name: 'Use this token' }).click()
      await page.getByRole('alert').filter({ hasText: words }).waitFor()
    }
    // Whole, but for a letter: the service tells nobody whether there ever was such a token.
    const mistyped = token.replace(/^svc_user_./, (start) => (start.endsWith('A') ? 'svc_user_B' : 'svc_user_A'))
    await page.getByLabel('Or paste a token').fill(`"${mistyped.slice(0, 40)}\n${mistyped.slice(40)}"`)
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByRole('heading', { name: 'The service does not accept this token' }).waitFor()
    await page.getByText(/It has ended or been revoked, has a wrong letter, or is for another service/).waitFor()
    await page.getByRole('button', { name: 'Use another token' }).click()
    await page.getByLabel('Or paste a token').waitFor()
  })
})
