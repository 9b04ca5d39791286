import { useSignIn } from '../../session/session-context.js'
import { SignInForm } from './sign-in-form.js'
import { SignInPage } from './sign-in-page.js'

/** The page of those who are not signed in. */
export function SignInScreen() {
  const { serviceUrl } = useSignIn()
  return (
    <SignInPage
      title="Sign in"
      below={
        <p>
          Found a key that has leaked? <a href={`${serviceUrl}/console/leaked-key`}>Revoke it</a>, without signing in.
        </p>
      }
    >
      <SignInForm />
    </SignInPage>
  )
}
