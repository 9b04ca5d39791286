import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { SelectField } from './field.js'
import styles from './screen.module.css'
import { SearchField } from './search-field.js'

interface PersonFieldProps {
  readonly label: string
  /** The id of the person; empty as long as nobody is chosen. */
  readonly value: string
  /** What stands for nobody; default: Choose. */
  readonly none?: string
  readonly onChange: (id: string) => void
}

const HITS = 20

/** A choice of a person, by the beginning of a name or an address. */
export function PersonField({ label, value, none = 'Choose', onChange }: PersonFieldProps) {
  const [q, setQ] = useState('')
  const { data } = useQuery(UserService.method.listUsers, { q, pageSize: HITS })
  const options = (data?.data ?? []).map(({ id, name, email }) => ({ value: id, text: `${name || email} (${email})` }))
  const isShown = value === '' || options.some((option) => option.value === value)
  const chosen = useQuery(UserService.method.getUser, { id: value }, { enabled: !isShown })
  const others = isShown ? [] : [{ value, text: chosen.data?.data?.name || value }]
  return (
    <div className={styles['form']}>
      <SearchField label="Name or address" value={q} onChange={setQ} />
      <SelectField
        label={label}
        value={value}
        options={[{ value: '', text: none }, ...others, ...options]}
        onChange={onChange}
      />
    </div>
  )
}
