import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCaller } from '../api/caller-context.js'
import { useSignIn } from '../session/session-context.js'
import { Button } from '../ui/button.js'
import { destinations } from './navigation.js'
import styles from './shell.module.css'
import { nextTheme, readTheme } from './theme.js'

interface SidebarProps {
  readonly onFind: () => void
  /** Called when a link is followed. */
  readonly onLeave?: () => void
}

/** The way to every screen, to search, and out. */
export function Sidebar({ onFind, onLeave }: SidebarProps) {
  const { session, oidc } = useSignIn()
  const caller = useCaller()
  const [theme, setTheme] = useState(readTheme)
  const signOut = () => {
    session.signOut()
    void oidc?.end().catch(() => {})
  }
  return (
    <>
      <Link to="/" className={styles['brand']} onClick={onLeave}>
        svc console
        <span>{caller.organizationId}</span>
      </Link>
      <button type="button" className={styles['find']} onClick={onFind}>
        Find anything <kbd>Ctrl K</kbd>
      </button>
      <nav className={styles['nav']} aria-label="Screens">
        {destinations.map((group) => (
          <div key={group.title}>
            <h2>{group.title}</h2>
            {group.items.map(({ path, title }) => (
              <Link
                key={path}
                to={path}
                onClick={onLeave}
                activeOptions={{ exact: path === '/' }}
                activeProps={{ 'aria-current': 'page' }}
              >
                {title}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className={styles['foot']}>
        <p>{caller.name || caller.id}</p>
        <Button look="quiet" onClick={() => setTheme(nextTheme(theme))}>
          Colors: {theme}
        </Button>
        <Button look="quiet" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </>
  )
}
