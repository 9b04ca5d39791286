import { Dialog } from '@base-ui/react/dialog'
import type { DialogProps } from './dialog.js'
import styles from './dialog.module.css'
import { Unsaved, useAskedClose } from './unsaved.js'

/** What a dialog is shown in. */
export function DialogFrame({ title, hidesTitle, look = 'plain', isTyped = false, onClose, children }: DialogProps) {
  const { close, question } = useAskedClose(isTyped, () => onClose?.())
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup className={`${styles['popup']} ${styles[look] ?? ''}`}>
          <Dialog.Title className={hidesTitle ? `unseen ${styles['unseenTitle']}` : styles['head']}>
            {title}
          </Dialog.Title>
          <div className={styles['body']}>{children}</div>
          {isTyped && <Unsaved />}
          {question}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
