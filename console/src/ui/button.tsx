import { Tooltip } from '@base-ui/react/tooltip'
import type { ReactNode } from 'react'
import styles from './controls.module.css'

interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly look?: 'plain' | 'main' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  /** Why it cannot be used now: it is disabled, still reached by keyboard, and says so. */
  readonly why?: string | undefined
  readonly label?: string
}

/** A button. One that cannot be used says why, to pointers, keyboards and screen readers alike. */
export function Button({ children, onClick, look = 'plain', type = 'button', why, label }: ButtonProps) {
  const className = `${styles['button']} ${styles[look] ?? ''}`
  if (why === undefined) {
    return (
      <button type={type} className={className} onClick={onClick} aria-label={label}>
        {children}
      </button>
    )
  }
  return (
    <Tooltip.Root>
      <Tooltip.Trigger delay={0} className={className} aria-disabled="true" aria-label={label} aria-description={why}>
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className={styles['why']}>{why}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

/** The looks of a badge: what its words mean for the reader. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

/** One or two words about a state. */
export function Badge({ children, tone = 'plain' }: { readonly children: ReactNode; readonly tone?: Tone }) {
  return <span className={`${styles['badge']} ${styles[tone] ?? ''}`}>{children}</span>
}

/** Controls in a row, which wraps where it is too narrow. */
export function Toolbar({ children }: { readonly children: ReactNode }) {
  return <div className={styles['toolbar']}>{children}</div>
}
