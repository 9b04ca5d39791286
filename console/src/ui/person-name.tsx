import type { Message } from '@bufbuild/protobuf'
import { Link } from '@tanstack/react-router'
import { nameOf } from '../api/message.js'
import styles from './table.module.css'

interface PersonNameProps {
  readonly person: Message & { readonly email: string } & ({ readonly id: string } | { readonly userId: string })
}

/** A person in a table: the beginnings of the name, and the name as a link. */
export function PersonName({ person }: PersonNameProps) {
  const text = nameOf(person)
  const id = 'userId' in person ? person.userId : person.id
  const words = text.split(/[\s@.]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 && text !== person.email ? words.at(-1) : undefined].map(
    (word) => word?.match(/^./u)?.[0],
  )
  return (
    <span className={styles['person']}>
      <span className={styles['face']} aria-hidden="true">
        {letters.join('').toUpperCase()}
      </span>
      <Link to={`/people/${encodeURIComponent(id)}`}>{text}</Link>
    </span>
  )
}
