import { useQuery } from '@connectrpc/connect-query'
import { Link, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import MenuIcon from 'lucide-react/dist/esm/icons/menu.mjs'
import SearchIcon from 'lucide-react/dist/esm/icons/search.mjs'
import { Suspense, useEffect, useState } from 'react'
import { CallerService } from '../../../gen/svc/v2/caller_pb.js'
import { CallerContext } from '../api/caller-context.js'
import { SignInAgain, SignInRefused, SignInScreen } from '../screens/sign-in/sign-in-screen.js'
import { useSessionState } from '../session/session-context.js'
import { Button } from '../ui/button.js'
import { Dialog } from '../ui/dialog.js'
import { Mark } from '../ui/mark.js'
import { FailureBox, OfflineNotice, Skeleton } from '../ui/states.js'
import { Announcements } from '../ui/toast.js'
import styles from './shell.module.css'
import { Sidebar } from './sidebar.js'

const Palette = lazyRouteComponent(() => import('./palette.js'), 'Palette')

/** Everything around a screen, for those who are signed in. */
export function Shell() {
  const state = useSessionState()
  if (state === 'out') return <SignInScreen />
  if (state === 'refused') return <SignInRefused />
  return (
    <>
      <SignedIn />
      {state === 'ended' && <SignInAgain />}
    </>
  )
}

function SignedIn() {
  const { data, error, refetch } = useQuery(CallerService.method.getCaller)
  const [open, setOpen] = useState<'palette' | 'menu'>()
  const [sought, setSought] = useState('')
  const find = () => {
    setSought('')
    setOpen('palette')
  }
  const close = () => setOpen(undefined)
  usePaletteKey(() => (open === 'palette' ? close() : find()))
  useEarlyLetters(open === 'palette', (letter) => setSought((before) => before + letter))
  if (data?.data === undefined) {
    return <main>{error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <Skeleton />}</main>
  }
  return (
    <CallerContext value={data.data}>
      <div className={styles['shell']}>
        <a className={styles['skip']} href="#main">
          Skip to the content
        </a>
        <header className={styles['bar']}>
          <Button isIcon look="quiet" label="Menu" onClick={() => setOpen('menu')}>
            <MenuIcon size={18} aria-hidden />
          </Button>
          <Link to="/" className={styles['brand']}>
            <Mark />
            <small>svc console</small>
          </Link>
          <Button isIcon look="quiet" onClick={find} label="Find anything">
            <SearchIcon size={18} aria-hidden />
          </Button>
        </header>
        <header className={styles['side']}>
          <Sidebar onFind={find} />
        </header>
        <div className={styles['notice']}>
          <OfflineNotice />
        </div>
        <main id="main" className={styles['main']} tabIndex={-1}>
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {open === 'menu' && (
        <Dialog title="Menu" hidesTitle look="side" onClose={close}>
          <Sidebar onFind={find} onLeave={close} />
        </Dialog>
      )}
      <Suspense>{open === 'palette' && <Palette text={sought} onText={setSought} onClose={close} />}</Suspense>
      <Announcements />
    </CallerContext>
  )
}

/** Calls back for each letter that is typed before the field that was asked for has the focus. */
function useEarlyLetters(isOpen: boolean, onLetter: (letter: string) => void): void {
  useEffect(() => {
    if (!isOpen) return
    const listen = (event: KeyboardEvent) => {
      const isTyped = event.key.length === 1 && !event.metaKey && !event.ctrlKey && !event.altKey
      if (!isTyped || document.activeElement?.matches('[role=dialog] input')) return
      event.preventDefault()
      onLetter(event.key)
    }
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  })
}

/** Calls back at ⌘K, and at Ctrl-K. */
function usePaletteKey(onKey: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      onKey()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
