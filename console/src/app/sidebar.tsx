import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import LogOut from 'lucide-react/dist/esm/icons/log-out.mjs'
import Monitor from 'lucide-react/dist/esm/icons/monitor.mjs'
import Moon from 'lucide-react/dist/esm/icons/moon.mjs'
import SearchIcon from 'lucide-react/dist/esm/icons/search.mjs'
import Sun from 'lucide-react/dist/esm/icons/sun.mjs'
import { useState } from 'react'
import { OrganizationService } from '../../../gen/svc/v2/organization_pb.js'
import { useCaller } from '../api/caller-context.js'
import { nameOf } from '../api/message.js'
import { useSignIn } from '../session/session-context.js'
import { Button } from '../ui/button.js'
import { Mark } from '../ui/mark.js'
import { destinationsFor } from './navigation.js'
import styles from './shell.module.css'
import { nextTheme, readTheme } from './theme.js'

interface SidebarProps {
  readonly onFind: () => void
  /** Called when a link is followed. */
  readonly onLeave?: () => void
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon }
const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** The way to every screen, to search, and out. */
export function Sidebar({ onFind, onLeave }: SidebarProps) {
  const { session, oidc } = useSignIn()
  const caller = useCaller()
  const organization = useQuery(OrganizationService.method.getOrganization, undefined, { staleTime: 300_000 })
  const [theme, setTheme] = useState(readTheme)
  const ThemeIcon = themeIcons[theme]
  const signOut = () => {
    session.signOut()
    void oidc?.end().catch(() => {})
  }
  return (
    <>
      <Link to="/" className={styles['brand']} onClick={onLeave}>
        <Mark />
        <small>{organization.data?.data?.name ?? 'svc console'}</small>
      </Link>
      <button type="button" className={styles['find']} onClick={onFind}>
        <SearchIcon size={15} aria-hidden />
        Find anything <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav className={styles['nav']} aria-label="Screens">
        {destinationsFor(caller).map((group) => (
          <div key={group.title}>
            {group.title && <h2>{group.title}</h2>}
            {group.items.map(({ path, title, Icon }) => (
              <Link
                key={path}
                to={path}
                onClick={onLeave}
                activeOptions={{ exact: path === '/', includeSearch: false }}
                activeProps={{ 'aria-current': 'page' }}
              >
                <Icon size={16} aria-hidden />
                {title}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className={styles['foot']}>
        <p title={nameOf(caller)}>{nameOf(caller)}</p>
        <Button look="quiet" isIcon label={`Colors: ${theme}`} onClick={() => setTheme(nextTheme(theme))}>
          <ThemeIcon size={16} aria-hidden />
        </Button>
        <Button look="quiet" isIcon label="Sign out" onClick={signOut}>
          <LogOut size={16} aria-hidden />
        </Button>
      </div>
    </>
  )
}
