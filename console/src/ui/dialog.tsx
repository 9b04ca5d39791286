import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import styles from './dialog.module.css'
import { Unsaved, useAskedClose } from './unsaved.js'

interface DialogProps {
  readonly title: string
  /** The title is for screen readers alone. */
  readonly hidesTitle?: boolean
  readonly look?: 'plain' | 'wide' | 'full' | 'side'
  /** Something was typed in it, which is not lost without a question. */
  readonly isTyped?: boolean
  /** Absent: it cannot be dismissed. */
  readonly onClose?: (() => void) | undefined
  readonly children: ReactNode
}

/**
 * A dialog, which is open as long as it is rendered. It keeps the focus inside and gives it back. Its title and its foot
 * stay while what is between them scrolls.
 */
export function Dialog({ title, hidesTitle, look = 'plain', isTyped = false, onClose, children }: DialogProps) {
  const { close, question } = useAskedClose(isTyped, () => onClose?.())
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={`${styles['popup']} ${styles[look] ?? ''}`}>
          <Base.Title className={hidesTitle ? `unseen ${styles['unseenTitle']}` : styles['head']}>{title}</Base.Title>
          <div className={styles['body']}>{children}</div>
          {isTyped && <Unsaved />}
          {question}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons at the end of a dialog; what is `apart` stands at the other side. */
export function DialogFoot({ apart, children }: { readonly apart?: ReactNode; readonly children: ReactNode }) {
  return (
    <div className={styles['foot']}>
      {apart && <div className={styles['apart']}>{apart}</div>}
      {children}
    </div>
  )
}
