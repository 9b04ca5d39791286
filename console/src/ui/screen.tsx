import { useLocation } from '@tanstack/react-router'
import ChevronRight from 'lucide-react/dist/esm/icons/chevron-right.mjs'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { CopyButton } from './copy-button.js'
import styles from './screen.module.css'
import { Answered, type Asked, Empty } from './states.js'

export interface ScreenProps {
  readonly title: string
  /** Where this is: a link to the list, for one. */
  readonly above?: ReactNode
  readonly lead?: ReactNode
  /** What matters of an object: its state, its owner, its end. */
  readonly meta?: ReactNode
  /** The id of an object, to be copied. */
  readonly id?: string
  readonly actions?: ReactNode
  /** Its height is that of the window: something in it scrolls. */
  readonly fills?: boolean
  /** Why the caller may not see what it shows. */
  readonly why?: string | undefined
  readonly children?: ReactNode
}

/** The path whose screen was shown last: the first one leaves the focus where it is. */
let shown: string | undefined

/** A screen: its title, which becomes the title of the window and gets the focus after a link, what can be done, and the content. */
export function Screen({ title, above, lead, meta, id, actions, fills, why, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // That of the screen, also while the next one is loaded.
  const [pathname] = useState(useLocation().pathname)
  useEffect(() => {
    document.title = `${title} – svc console`
  }, [title])
  useEffect(() => {
    if (shown !== undefined && shown !== pathname) heading.current?.focus({ preventScroll: true })
    shown = pathname
  }, [pathname])
  return (
    <div className={`${styles['screen']} ${fills ? styles['fills'] : ''}`}>
      <div className={styles['head']}>
        <div>
          {above && (
            <p className={styles['above']}>
              {above} <ChevronRight size={13} aria-hidden />
            </p>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {(meta || id) && (
            <div className={styles['meta']}>
              {meta}
              {id && <CopyButton text={() => id}>Copy ID</CopyButton>}
            </div>
          )}
        </div>
        {actions}
      </div>
      {lead && <p className={styles['lead']}>{lead}</p>}
      {why === undefined ? children : <Empty title="You have no access to this">{why}</Empty>}
    </div>
  )
}

/** What is shown at an address that leads nowhere. */
export function NoScreen() {
  return (
    <Screen title="Not found">
      <Empty title="There is no such screen">The menu leads to all that there are.</Empty>
    </Screen>
  )
}

interface PanelProps {
  readonly title: string
  readonly actions?: ReactNode
  /** What its content waits for, in whose place so many lines stand. */
  readonly asked?: readonly Asked[]
  readonly lines?: number
  readonly children: ReactNode
}

/** A part of a screen, with a title. */
export function Panel({ title, actions, asked = [], lines = 3, children }: PanelProps) {
  return (
    <section className={styles['panel']} aria-label={title}>
      <div className={styles['panelHead']}>
        <h2 tabIndex={-1}>{title}</h2>
        {actions}
      </div>
      <Answered asked={asked} lines={lines}>
        {children}
      </Answered>
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
