import { useSignIn } from '../../session/session-context.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { SignInForm } from './sign-in-form.js'

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
