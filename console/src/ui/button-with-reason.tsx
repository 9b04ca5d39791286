import { Tooltip } from '@base-ui/react/tooltip'
import type { ComponentProps } from 'react'
import styles from './controls.module.css'

interface ButtonWithReasonProps {
  readonly why: string
  readonly button: ComponentProps<'button'>
}

/** A button that cannot be used, and shows why when it is pointed at or has the focus. */
export function ButtonWithReason({ why, button }: ButtonWithReasonProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger delay={0} {...button} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className={styles['why']}>{why}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
