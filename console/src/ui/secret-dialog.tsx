import { Button } from './button.js'
import { CopyButton } from './copy-button.js'
import { Dialog, DialogFoot } from './dialog.js'
import styles from './dialog.module.css'

interface SecretDialogProps {
  /** Empty where the answer was a repeated one, which has no secret. */
  readonly secret: string
  /** What has the secret. */
  readonly of: string
  readonly onClose: () => void
}

/** Shows a new secret, this once. */
export function SecretDialog({ secret, of, onClose }: SecretDialogProps) {
  return (
    <Dialog title={`The secret of the ${of}`}>
      {secret === '' ? (
        <p>
          The {of} was created before, by the same request, and its secret was shown then. Rotate it to get another one.
        </p>
      ) : (
        <>
          <p>It is shown this once, and nobody can read it again. Put it where the program finds it, now.</p>
          <pre className={styles['secret']}>{secret}</pre>
        </>
      )}
      <DialogFoot apart={secret !== '' && <CopyButton text={() => secret}>Copy the secret</CopyButton>}>
        <Button look="main" onClick={onClose}>
          {secret === '' ? 'Close' : 'I have it'}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
