import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { AuditLogService } from '../../../../gen/svc/v2/audit_log_pb.js'
import { actionText, sentence, thingText } from '../../api/words.js'
import { CheckField, TextField } from '../../ui/field.js'
import styles from '../../ui/screen.module.css'

interface EventTypesFieldProps {
  readonly label: string
  /** One on each line; empty for all. */
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A choice of types of events, which are searched; none of them means all. */
export function EventTypesField({ label, text, onChange }: EventTypesFieldProps) {
  const [sought, setSought] = useState('')
  const { data } = useQuery(AuditLogService.method.listAuditActions, undefined, { staleTime: 300_000 })
  const chosen = text.split('\n').filter(Boolean)
  const known = [...new Set([...(data?.data ?? []), ...chosen])]
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (type: string) => words.every((word) => `${type} ${actionText(type)}`.toLowerCase().includes(word))
  const found = known.filter(isFound)
  const things = [...new Set(found.map(thingOf))].sort((one, other) => one.localeCompare(other))
  const toggle = (type: string, isOn: boolean) =>
    onChange((isOn ? [...chosen, type] : chosen.filter((each) => each !== type)).join('\n'))
  return (
    <fieldset className={styles['nested']}>
      <legend>{label}</legend>
      <CheckField
        label={chosen.length === 0 ? 'All events, also of kinds to come' : 'All events'}
        checked={chosen.length === 0}
        onChange={(isAll) => isAll && onChange('')}
      />
      <TextField label="Search events" type="search" value={sought} onChange={setSought} />
      <div className={styles['types']}>
        {things.map((thing) => (
          <fieldset key={thing} aria-label={thing}>
            <strong>{thing}</strong>
            {found
              .filter((type) => thingOf(type) === thing)
              .map((type) => (
                <CheckField
                  key={type}
                  label={actionText(type)}
                  checked={chosen.includes(type)}
                  onChange={(isOn) => toggle(type, isOn)}
                />
              ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}

/** What a type of events is about, in words. */
function thingOf(type: string): string {
  return sentence(thingText(type.split('.')[0] ?? ''))
}
