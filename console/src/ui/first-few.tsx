import { type ReactNode, useState } from 'react'
import { numberText } from '../api/words.js'
import { Button } from './button.js'

interface FirstFewProps<Item> {
  readonly items: readonly Item[]
  readonly many: string
  /** How many are shown at first. */
  readonly few?: number
  readonly children: (shown: readonly Item[]) => ReactNode
}

/** The first of many things, as many as are seen at a glance, and a button for the others. */
export function FirstFew<Item>({ items, many, few = 8, children }: FirstFewProps<Item>) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || items.length <= few) return children(items)
  return (
    <>
      {children(items.slice(0, few))}
      <Button look="quiet" onClick={() => setWhole(true)}>
        Show {numberText(items.length - few)} more {many}
      </Button>
    </>
  )
}
