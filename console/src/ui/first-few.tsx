import { type ReactNode, useState } from 'react'
import { numberText } from '../api/words.js'
import { Button } from './button.js'

interface FirstFewProps<Item> {
  readonly items: readonly Item[]
  readonly many: string
  readonly children: (shown: readonly Item[]) => ReactNode
}

const FEW = 8

/** The first of many things, as many as are seen at a glance, and a button for the others. */
export function FirstFew<Item>({ items, many, children }: FirstFewProps<Item>) {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || items.length <= FEW) return children(items)
  return (
    <>
      {children(items.slice(0, FEW))}
      <Button look="quiet" onClick={() => setWhole(true)}>
        Show {numberText(items.length - FEW)} more {many}
      </Button>
    </>
  )
}
