import { lazyRouteComponent } from '@tanstack/react-router'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import styles from './controls.module.css'

export interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly look?: 'plain' | 'main' | 'danger' | 'quiet'
  readonly type?: 'button' | 'submit'
  /** Why it cannot be used now: it is disabled, still reached by keyboard, and says so. */
  readonly why?: string | undefined
  readonly label?: string
  /** It has an icon in place of words. */
  readonly isIcon?: boolean
}

const ButtonReason = lazyRouteComponent(() => import('./button-reason.js'), 'ButtonReason')

/** A button. One that cannot be used says why, and stays the same element, so that it keeps the focus. */
export function Button({
  children,
  onClick,
  look = 'plain',
  type = 'button',
  why,
  label,
  isIcon = false,
}: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [isAsked, setAsked] = useState(false)
  const use = why === undefined ? { type, onClick } : { 'aria-disabled': true, 'aria-description': why }
  return (
    // The reason is a part of it for the pointer, which can go there without closing it.
    <span className={styles['whole']} onPointerEnter={() => setAsked(true)} onPointerLeave={() => setAsked(false)}>
      <button
        ref={button}
        type="button"
        className={`${styles['button']} ${styles[look] ?? ''} ${isIcon ? styles['icon'] : ''}`}
        title={isIcon ? label : undefined}
        aria-label={label}
        onFocus={({ currentTarget }) => setAsked(currentTarget.matches(':focus-visible'))}
        onBlur={() => setAsked(false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || why === undefined || !isAsked) return
          // The dialog around it stays.
          event.stopPropagation()
          setAsked(false)
        }}
        {...use}
      >
        {children}
      </button>
      {why !== undefined && isAsked && (
        <Suspense>
          <ButtonReason why={why} button={button} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </span>
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
