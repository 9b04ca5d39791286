import { onlineManager } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { failureFrom } from '../api/failure.js'
import { asSentence, labelOf } from '../api/words.js'
import { Button } from './button.js'
import styles from './states.module.css'

/** Takes the place of what is being loaded, in about its size, so that nothing jumps. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div className={styles['bones']} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div key={line} className={styles['bone']} />
      ))}
    </div>
  )
}

/** Nothing is there: says how that can change. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['box']}>
      <h2>{title}</h2>
      {children && <div className={styles['muted']}>{children}</div>}
    </div>
  )
}

/** A query, as far as what stands in its place depends on it. */
export interface Asked {
  /** Why the caller may not ask. */
  readonly why?: string | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly refetch: () => unknown
}

interface AnsweredProps {
  readonly asked: readonly Asked[]
  readonly lines?: number
  readonly children: ReactNode
}

/** What calls have answered; until then, or if one fails, or without the right, that is said in its place. */
export function Answered({ asked, lines = 3, children }: AnsweredProps) {
  const why = asked.find((each) => each.why !== undefined)?.why
  if (why !== undefined) return <p className={styles['muted']}>{why}</p>
  const failed = asked.filter(({ error }) => Boolean(error))
  const retry = () => failed.map(({ refetch }) => refetch())
  if (failed[0] !== undefined) return <FailureBox error={failed[0].error} onRetry={retry} />
  if (asked.some(({ isPending }) => isPending)) return <Skeleton lines={lines} />
  return children
}

/** A failed call: what it says, its reason, its id for those who run the service, and another try. */
export function FailureBox({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const failure = failureFrom(error)
  // What is opened by a link may be gone, or of others: to ask again does not help.
  const isFinal = ['missing', 'forbidden'].includes(failure.kind) && onRetry !== undefined
  const seconds = useCountdown(failure.retryAfterSeconds, error)
  return (
    <div className={`${styles['box']} ${isFinal ? '' : styles['bad']}`} role="alert">
      <h2>{failure.title}</h2>
      {failure.faults.length === 0 && (
        <p>
          {isFinal && failure.kind === 'missing'
            ? 'It does not exist any more, or you have no access to it.'
            : asSentence(failure.message)}
        </p>
      )}
      {failure.faults.length > 0 && (
        <ul>
          {failure.faults.map(({ field, description }) => (
            <li key={`${field} ${description}`}>
              {labelOf(field.replace(/^.*\./, '').replace(/\[\d+\]$/, ''))} {description}
            </li>
          ))}
        </ul>
      )}
      <p className={styles['facts']}>
        {Object.entries({ Reason: failure.reason, Request: failure.requestId }).map(
          ([name, value]) =>
            value && (
              <span key={name}>
                {name} <code>{value}</code>
              </span>
            ),
        )}
      </p>
      {onRetry && !isFinal && (
        <Button onClick={onRetry} why={seconds > 0 ? `The service asks to wait ${seconds} more seconds.` : undefined}>
          {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
        </Button>
      )}
    </div>
  )
}

/** The seconds that are left, counted down from when the subject changes. */
function useCountdown(from: number | undefined, subject: unknown): number {
  const [left, setLeft] = useState(from ?? 0)
  useEffect(() => {
    if (subject === undefined) return
    setLeft(from ?? 0)
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [from, subject])
  return left
}

/** Says that the browser has no network. What is on the screen stays. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(onlineManager.subscribe, () => onlineManager.isOnline())
  return (
    <div role="status">
      {!isOnline && <p className={styles['notice']}>You are offline. What you see may be old; nothing can be saved.</p>}
    </div>
  )
}
