import { useTransport } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { AuthService } from '../../../gen/svc/v2/auth_pb.js'
import { callTagged } from '../api/tagged.js'
import { Button } from '../ui/button.js'
import { TextField } from '../ui/field.js'
import { FailureBox } from '../ui/states.js'
import styles from './sign-in/sign-in.module.css'
import { SignInPage } from './sign-in/sign-in-screen.js'

/** Revokes a key that has leaked, for whoever has found it, without a sign-in. */
export function LeakedKeyScreen() {
  const transport = useTransport()
  const [secret, setSecret] = useState('')
  const revoke = useMutation({
    mutationFn: () => callTagged(transport, AuthService.method.revokeLeakedKey, { secret }),
    onSuccess: () => setSecret(''),
    gcTime: 0,
  })
  const why = revoke.isPending ? 'It is being sent.' : secret.trim() === '' ? 'Paste what you have found.' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (why === undefined) revoke.mutate()
  }
  return (
    <SignInPage title="Revoke a leaked key">
      <p>
        Paste a secret or a token that you have found. If it is one of this service, it stops working at once, with
        every key that it was rotated from or to. You need not sign in.
      </p>
      <form onSubmit={submit} className={styles['form']}>
        <TextField label="Secret or token" type="password" value={secret} onChange={setSecret} />
        <Button type="submit" look="danger" why={why}>
          Revoke it
        </Button>
      </form>
      <div role="status">
        {revoke.isSuccess && <p>Thank you. If it was one of ours, it no longer works. We do not say whether it was.</p>}
      </div>
      {revoke.error && <FailureBox error={revoke.error} />}
    </SignInPage>
  )
}
