import { Button } from '../../../ui/button.js'
import styles from './procedures.module.css'

interface OrderButtonsProps<Item> {
  /** What the item is called, such as `stage 2`. */
  readonly what: string
  readonly list: readonly Item[]
  readonly at: number
  readonly onChange: (list: Item[]) => void
  /** Whether the last one can be removed. */
  readonly canBeEmpty?: boolean
}

/** Moves an item of a list up or down, or removes it. */
export function OrderButtons<Item>({ what, list, at, onChange, canBeEmpty }: OrderButtonsProps<Item>) {
  const without = list.toSpliced(at, 1)
  const move = (by: 1 | -1) => () => onChange(without.toSpliced(at + by, 0, ...list.slice(at, at + 1)))
  const isLast = at === list.length - 1
  return (
    <span className={styles['order']}>
      <Button look="quiet" label={`Move ${what} up`} onClick={move(-1)} why={at === 0 ? 'It is the first.' : undefined}>
        ↑
      </Button>
      <Button look="quiet" label={`Move ${what} down`} onClick={move(1)} why={isLast ? 'It is the last.' : undefined}>
        ↓
      </Button>
      <Button
        look="quiet"
        label={`Remove ${what}`}
        onClick={() => onChange(without)}
        why={list.length === 1 && !canBeEmpty ? 'One has to stay.' : undefined}
      >
        Remove
      </Button>
    </span>
  )
}
