import { Link } from '@tanstack/react-router'
import styles from './table.module.css'

interface PersonNameProps {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** A person in a table: the beginnings of the name, and the name as a link. */
export function PersonName({ id, name, email }: PersonNameProps) {
  const text = name || email
  const words = text.split(/[\s@.]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 && name ? words.at(-1) : undefined].map((word) => word?.match(/^./u)?.[0])
  return (
    <span className={styles['person']}>
      <span className={styles['face']} aria-hidden="true">
        {letters.join('').toUpperCase()}
      </span>
      <Link to="/people/$id" params={{ id }}>
        {text}
      </Link>
    </span>
  )
}
