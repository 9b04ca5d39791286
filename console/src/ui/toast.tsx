import CircleCheck from 'lucide-react/dist/esm/icons/circle-check.mjs'
import { useSyncExternalStore } from 'react'
import styles from './states.module.css'

/** How long a text is shown, and how much longer for each of its letters. */
const [SHOWN_MILLIS, LETTER_MILLIS] = [4_000, 80]

let said = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function become(text: string): void {
  said = text
  for (const listener of listeners) listener()
}

/** Says what has been done, to those who see and those who listen, for a moment. */
export function announce(text: string): void {
  clearTimeout(timer)
  become(text)
  timer = setTimeout(() => become(''), SHOWN_MILLIS + text.length * LETTER_MILLIS)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The place of what `announce` says, which an open dialog does not hide from those who listen. */
export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => said)
  return (
    <div role="status" aria-live="polite" className={styles['toasts']}>
      {text !== '' && (
        <p className={styles['toast']}>
          <CircleCheck size={16} aria-hidden />
          {text}
        </p>
      )}
    </div>
  )
}
