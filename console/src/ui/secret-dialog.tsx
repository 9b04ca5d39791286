import { ApiKeyKind } from '../../../gen/svc/v2/api_key_pb.js'
import { useServiceUrl } from '../session/session-context.js'
import { Button } from './button.js'
import { CopyButton } from './copy-button.js'
import { Dialog, DialogFoot } from './dialog.js'
import styles from './dialog.module.css'

interface SecretDialogProps {
  /** Empty where the answer was a repeated one, which has no secret. */
  readonly secret: string
  /** What has the secret. */
  readonly of: string
  /** The id with which a key signs in. */
  readonly clientId?: string | undefined
  readonly kind?: ApiKeyKind
  readonly onClose: () => void
}

/** Shows a new secret, this once, with how it is used. */
export function SecretDialog({ secret, of, clientId, kind, onClose }: SecretDialogProps) {
  const url = useServiceUrl()
  const isDirectory = kind === ApiKeyKind.MK
  const beside = isDirectory ? `${url}/scim/v2` : clientId
  const command = isDirectory
    ? `curl -H "Authorization: Bearer ${secret}" ${url}/scim/v2/Users`
    : `curl -u '${clientId}:${secret}' -d grant_type=client_credentials ${url}/v2/auth/token`
  return (
    <Dialog title={`The secret of the ${of}`}>
      {secret === '' ? (
        <p>
          The {of} was created before, by the same request, and its secret was shown then. Rotate it to get another one.
        </p>
      ) : (
        <>
          <p>It is shown only this once. Copy it now to where the program reads it.</p>
          {beside && (
            <p>
              {isDirectory ? 'SCIM address' : 'Client ID'} <code>{beside}</code>{' '}
              <CopyButton text={() => beside}>{`Copy the ${isDirectory ? 'SCIM address' : 'client ID'}`}</CopyButton>
            </p>
          )}
          <pre className={styles['secret']}>{secret}</pre>
          {clientId && (
            <>
              <p>{isDirectory ? 'Try it:' : 'Get a token with it:'}</p>
              <pre className={styles['secret']}>{command}</pre>
              <CopyButton text={() => command}>Copy as curl</CopyButton>
            </>
          )}
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
