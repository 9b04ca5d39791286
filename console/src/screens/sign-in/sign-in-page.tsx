import { type ReactNode, useEffect } from 'react'
import { Mark } from '../../ui/mark.js'
import styles from './sign-in.module.css'

interface SignInPageProps {
  readonly title: string
  /** What stands below the card. */
  readonly below?: ReactNode
  readonly children: ReactNode
}

/** A page of those who are not signed in. */
export function SignInPage({ title, below, children }: SignInPageProps) {
  useEffect(() => {
    document.title = `${title} – svc console`
  }, [title])
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <Mark size={32} />
        <h1>{title}</h1>
        {children}
      </div>
      {below}
    </main>
  )
}
