import { type FormEvent, useState } from 'react'
import { readToken } from '../../session/session.js'
import { useSignIn } from '../../session/session-context.js'
import { Button } from '../../ui/button.js'
import { TextField } from '../../ui/field.js'
import styles from './sign-in.module.css'

/** Signs in: with the issuer where the deployment has one, or with a pasted token, which is kept in memory alone. */
export function SignInForm() {
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
