import { Dialog } from '../ui/dialog.js'
import { Sidebar } from './sidebar.js'

interface MenuProps {
  readonly onFind: () => void
  readonly onClose: () => void
}

/** The sidebar where the screen has no room for it. */
export function Menu({ onFind, onClose }: MenuProps) {
  return (
    <Dialog title="Menu" hidesTitle look="side" onClose={onClose}>
      <Sidebar onFind={onFind} onLeave={onClose} />
    </Dialog>
  )
}
