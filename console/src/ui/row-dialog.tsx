import { Button } from './button.js'
import { Dialog, DialogFoot } from './dialog.js'
import type { Column } from './paged-table.js'
import { Facts } from './screen.js'

/** A row, and what there is to say of it. */
interface RowDialogProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly row: Row
  readonly onClose: () => void
}

/** All columns of a row, where the screen has no room for them. */
export function RowDialog<Row>({ columns, row, onClose }: RowDialogProps<Row>) {
  return (
    <Dialog title="Details of the row" onClose={onClose}>
      <Facts facts={Object.fromEntries(columns.map(({ label, cell }) => [label, cell(row)]))} />
      <DialogFoot>
        <Button onClick={onClose}>Close</Button>
      </DialogFoot>
    </Dialog>
  )
}
