import { Dialog } from '@base-ui/react/dialog'
import { useRef, useState } from 'react'
import type { DialogProps } from './dialog.js'
import styles from './dialog.module.css'
import { AskToDiscard, Unsaved } from './unsaved.js'

/** What a dialog is shown in. */
export function DialogFrame({ title, hidesTitle, look = 'plain', isTyped = false, onClose, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const [isAsking, setAsking] = useState(false)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && (isTyped ? setAsking(true) : onClose?.())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup
          ref={popup}
          className={`${styles['popup']} ${styles[look] ?? ''}`}
          initialFocus={() => popup.current?.querySelector<HTMLElement>('input, select, textarea') ?? true}
        >
          <Dialog.Title className={hidesTitle ? `unseen ${styles['unseenTitle']}` : styles['head']}>
            {title}
          </Dialog.Title>
          <div className={styles['body']}>{children}</div>
          {isTyped && <Unsaved />}
          {isAsking && <AskToDiscard onKeep={() => setAsking(false)} onDiscard={() => onClose?.()} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
