import { useState } from 'react'
import { useSignIn } from '../../session/session-context.js'
import { Button } from '../../ui/button.js'
import { SignInPage } from './sign-in-page.js'

/** The page of those whom the issuer has signed in and the service does not let in, or whose pasted token it refuses. */
export function SignInRefused() {
  const { session, oidc, issuer } = useSignIn()
  const [leaving, setLeaving] = useState<string>()
  const holder = session.credential()?.holder
  const isOfIssuer = oidc !== undefined && holder !== undefined
  const title = isOfIssuer ? 'You are signed in, but have no access' : 'The service does not accept this token'
  const leave = () => {
    setLeaving(`Signing out at ${issuer} …`)
    // Where the issuer cannot be reached, or has no way to end its session, the next sign-in asks who it is.
    void oidc
      ?.end()
      .catch(() => undefined)
      .then(session.signOut)
  }
  return (
    <SignInPage title={title}>
      {isOfIssuer ? (
        <>
          <p>
            {issuer} has signed you in as <strong>{holder}</strong>. The service knows no active person with this
            address, or the issuer does not vouch for it.
          </p>
          <p>An administrator must add the address, under People, or name the one that you are known by.</p>
          <Button look="main" onClick={leave}>
            Sign in as somebody else
          </Button>
          <p role="status">{leaving}</p>
        </>
      ) : (
        <p>
          It has ended or been revoked, has a wrong letter, or is for another service. Which of these it is, the service
          does not say, so that nobody finds a token by trying. Copy it again, or ask an administrator for a new one.
        </p>
      )}
      <Button look={isOfIssuer ? 'plain' : 'main'} onClick={session.signOut}>
        {isOfIssuer ? 'Use a token instead' : 'Use another token'}
      </Button>
    </SignInPage>
  )
}
