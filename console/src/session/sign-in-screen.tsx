import { useEffect } from 'react'
import { useSignIn } from './session-context.js'
import styles from './sign-in.module.css'
import { SignInForm } from './sign-in-form.js'

/** The page of those who are not signed in. */
export function SignInScreen() {
  const { serviceUrl } = useSignIn()
  useEffect(() => {
    document.title = 'Sign in – svc console'
  }, [])
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <h1>svc console</h1>
        <SignInForm />
      </div>
      <p>
        Found a key that has leaked? <a href={`${serviceUrl}/console/leaked-key`}>Revoke it</a>, without signing in.
      </p>
    </main>
  )
}
