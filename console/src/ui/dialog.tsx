import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import styles from './dialog.module.css'

interface DialogProps {
  readonly title: string
  /** The title is for screen readers alone. */
  readonly hidesTitle?: boolean
  readonly look?: 'plain' | 'wide' | 'side'
  /** Absent: it cannot be dismissed. */
  readonly onClose?: (() => void) | undefined
  readonly children: ReactNode
}

/** A dialog, which is open as long as it is rendered. It keeps the focus inside and gives it back. */
export function Dialog({ title, hidesTitle, look = 'plain', onClose, children }: DialogProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={`${styles['popup']} ${styles[look] ?? ''}`}>
          <Base.Title className={hidesTitle ? 'unseen' : undefined}>{title}</Base.Title>
          {children}
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
