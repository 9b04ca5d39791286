import type { DescMessage, Message } from '@bufbuild/protobuf'
import { useMutation } from '@tanstack/react-query'
import { numberText } from '../api/words.js'
import { Button } from './button.js'
import { FailureBox } from './states.js'
import { announce } from './toast.js'

/** A list that can be read to its end, whatever of it is on the screen, and the schema of its rows. */
export interface WholeList {
  readonly schema: DescMessage
  readonly readPages: () => AsyncIterable<readonly unknown[]>
}

/** Saves all rows of a list as a file that spreadsheets open. */
export function ExportButton({ label, list }: { readonly label: string; readonly list: WholeList }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const { csvOf } = await import('./csv.js')
      const parts: string[] = []
      let count = 0
      // Printed as they come: the page would stand still while all of them are.
      for await (const rows of list.readPages()) {
        if (rows.length > 0 || parts.length === 0)
          parts.push(csvOf(list.schema, rows as readonly Message[], parts.length === 0))
        count += rows.length
      }
      const file = new Blob(parts, { type: 'text/csv;charset=utf-8' })
      const href = URL.createObjectURL(file)
      Object.assign(document.createElement('a'), { href, download: `${label}.csv` }).click()
      URL.revokeObjectURL(href)
      announce(`${numberText(count)} exported.`)
    },
  })
  const why = isPending ? 'It is being read.' : undefined
  return (
    <>
      <Button look="quiet" label={`Export as CSV: ${label}`} onClick={() => mutate()} why={why}>
        Export as CSV
      </Button>
      {error && <FailureBox error={error} />}
    </>
  )
}
