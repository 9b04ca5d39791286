import type { DescMessage, Message } from '@bufbuild/protobuf'
import { useMutation } from '@tanstack/react-query'
import { numberText } from '../api/words.js'
import { Button } from './button.js'
import { FailureBox } from './states.js'
import { announce } from './toast.js'

/** A list that can be read to its end, whatever of it is on the screen. */
export interface WholeList {
  /** Of a row. */
  readonly schema: DescMessage
  readonly readAll: () => Promise<readonly unknown[]>
}

/** Saves all rows of a list as a file that spreadsheets open. */
export function ExportButton({ label, list }: { readonly label: string; readonly list: WholeList }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const [{ csvOf }, rows] = await Promise.all([import('./csv.js'), list.readAll()])
      const file = new Blob([csvOf(list.schema, rows as readonly Message[])], { type: 'text/csv;charset=utf-8' })
      const href = URL.createObjectURL(file)
      Object.assign(document.createElement('a'), { href, download: `${label}.csv` }).click()
      URL.revokeObjectURL(href)
      announce(`${numberText(rows.length)} exported.`)
    },
  })
  return (
    <>
      <Button look="quiet" onClick={() => mutate()} why={isPending ? 'It is being read.' : undefined}>
        Export as CSV
      </Button>
      {error && <FailureBox error={error} />}
    </>
  )
}
