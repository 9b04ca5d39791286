import { lazyRouteComponent } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import styles from './dialog.module.css'

export interface DialogProps {
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

const DialogFrame = lazyRouteComponent(() => import('./dialog-frame.js'), 'DialogFrame')

/** A dialog, open as long as it is rendered. It keeps the focus inside and gives it back. Its frame is loaded lazily. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <DialogFrame {...props} />
    </Suspense>
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
