import { Tooltip } from '@base-ui/react/tooltip'
import type { RefObject } from 'react'
import styles from './controls.module.css'

interface ButtonReasonProps {
  readonly why: string
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** Why a button cannot be used, shown beside it until it is closed: by Escape, for example. */
export function ButtonReason({ why, button, onClose }: ButtonReasonProps) {
  return (
    <Tooltip.Root open onOpenChange={onClose}>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={button} className={styles['reason']}>
          <Tooltip.Popup className={styles['why']}>{why}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
