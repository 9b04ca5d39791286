import type { ReactNode } from 'react'
import styles from './table.module.css'

interface ScrollProps {
  /** What scrolls, for screen readers. */
  readonly label: string
  readonly children: ReactNode
}

/** Room for a table that may be wider than the screen: it scrolls, with the keyboard as well. */
export function Scroll({ label, children }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds controls, and a section would be a landmark.
    <div className={styles['scroll']} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
