import { lazy, Suspense } from 'react'
import styles from './screen.module.css'

const Picker = lazy(() => import('./picker.js').then((module) => ({ default: module.Picker })))

interface PersonFilterProps {
  readonly label: string
  readonly value: string
  readonly onChange: (id: string) => void
}

/** A filter by a person, who is found by name. */
export function PersonFilter(props: PersonFilterProps) {
  return (
    <div className={styles['picked']} data-active={props.value !== ''}>
      <Suspense>
        <Picker kind="people" {...props} />
      </Suspense>
    </div>
  )
}
