import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { readToken } from '../../session/session.js'
import { useSignIn } from '../../session/session-context.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { TextField } from '../../ui/field.js'
import { Mark } from '../../ui/mark.js'
import styles from './sign-in.module.css'

/** Signs in: with the issuer where the deployment has one, or with a pasted token, which is kept in memory alone. */
function SignInForm() {
  const { session, oidc, issuer, failure } = useSignIn()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  const [leaving, setLeaving] = useState<string>()
  const take = (event: FormEvent) => {
    event.preventDefault()
    const { token, fault: found } = readToken(text)
    setFault(found)
    if (token !== undefined) session.signIn({ token })
  }
  const leave = () => {
    setLeaving('Going to the issuer …')
    oidc?.begin(false).catch((error: unknown) => {
      setLeaving(`${issuer} cannot be reached: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  return (
    <div className={styles['form']}>
      {failure && (
        <p role="alert" className={styles['failure']}>
          Sign-in failed: {failure}
        </p>
      )}
      {oidc && (
        <>
          <Button look="main" onClick={leave}>
            Sign in with {issuer}
          </Button>
          <p role="status">{leaving}</p>
        </>
      )}
      <form onSubmit={take} className={styles['form']}>
        <TextField
          label={oidc ? 'Or paste a token' : 'Token'}
          type="password"
          value={text}
          onChange={setText}
          fault={fault}
          hint="From npx svc tokens create --org ID --user ID. It stays in the memory of this tab."
        />
        <Button type="submit" look={oidc ? 'plain' : 'main'}>
          Use this token
        </Button>
      </form>
    </div>
  )
}

/** Asks to sign in again above a screen, which keeps everything that was typed. */
export function SignInAgain() {
  const { session } = useSignIn()
  return (
    <Dialog title="Your sign-in has ended">
      <p>What you have typed is still there. Sign in again to go on with it.</p>
      <SignInForm />
      <DialogFoot>
        <Button onClick={session.signOut}>Leave instead</Button>
      </DialogFoot>
    </Dialog>
  )
}

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

interface SignInPageProps {
  readonly title: string
  /** What stands below the card. */
  readonly below?: ReactNode
  readonly children: ReactNode
}

/** A page of those who are not signed in. */
export function SignInPage({ title, below, children }: SignInPageProps) {
  useEffect(() => {
    document.title = `${title} – svc console`
  }, [title])
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <Mark size={32} />
        <h1>{title}</h1>
        {children}
      </div>
      {below}
    </main>
  )
}
