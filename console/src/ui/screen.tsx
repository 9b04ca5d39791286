import { type ReactNode, useEffect, useRef } from 'react'
import styles from './screen.module.css'

interface ScreenProps {
  readonly title: string
  /** Where this is: a link to the list, for one. */
  readonly above?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Its height is that of the window: something in it scrolls. */
  readonly fills?: boolean
  readonly children: ReactNode
}

/** A screen: its title, which becomes the title of the window and gets the focus, what can be done, and the content. */
export function Screen({ title, above, lead, actions, fills, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – svc console`
  }, [title])
  return (
    <div className={`${styles['screen']} ${fills ? styles['fills'] : ''}`}>
      <div className={styles['head']}>
        <div>
          {above && <p className={styles['above']}>{above}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions}
      </div>
      {lead && <p className={styles['lead']}>{lead}</p>}
      {children}
    </div>
  )
}

/** Fields that narrow a list. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <search aria-label="Filters" className={styles['filters']}>
      {children}
    </search>
  )
}

interface PanelProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a screen, with a title. */
export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section className={styles['panel']} aria-label={title}>
      <div className={styles['panelHead']}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** Names and values. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={styles['facts']}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className={styles['fact']}>
          <dt>{name}</dt>
          <dd>{value === '' || value === undefined ? '–' : value}</dd>
        </div>
      ))}
    </dl>
  )
}
