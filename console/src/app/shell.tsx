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
  useKey((event) => {
    const { key } = event
    const isCommand = event.metaKey || event.ctrlKey
    // After an update of the service what is not loaded is gone, and the page reloads: not what is being typed with it.
    if (document.activeElement?.closest('[role=dialog]')) void Palette.preload?.()
    // What is typed before the field that was asked for has the focus goes to it.
    const isEarly = open === 'palette' && !document.activeElement?.matches('input[aria-label="Find anything"]')
    const isAsked = isCommand && key.toLowerCase() === 'k'
    if (isAsked && open === 'palette') close()
    else if (isAsked) find()
    else if (isEarly && key.length === 1 && !isCommand && !event.altKey) setSought((before) => before + key)
    else return
    event.preventDefault()
  })
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

/** Calls back at each key before what has the focus. */
function useKey(onKey: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  })
}
