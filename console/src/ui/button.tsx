import { lazy, type ReactNode, Suspense } from 'react'
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

const ButtonWithReason = lazy(() =>
  import('./button-with-reason.js').then((module) => ({ default: module.ButtonWithReason })),
)

/** A button. One that cannot be used says why, to pointers, keyboards and screen readers alike. */
export function Button({ children, onClick, look = 'plain', type = 'button', why, label }: ButtonProps) {
  const common = { className: `${styles['button']} ${styles[look] ?? ''}`, 'aria-label': label, children }
  if (why === undefined) return <button type={type} onClick={onClick} {...common} />
  const disabled = { ...common, 'aria-disabled': true, 'aria-description': why }
  return (
    <Suspense fallback={<button type="button" {...disabled} />}>
      <ButtonWithReason why={why} button={disabled} />
    </Suspense>
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
