import { useState } from 'react'
import { Button } from './button.js'

/** Copies a text and says so. Where the browser allows no copying, it shows the text to be copied by hand. */
export function CopyButton({ text, children }: { readonly text: () => string; readonly children: string }) {
  const [done, setDone] = useState<'no' | 'yes' | 'shown'>('no')
  const copy = () => {
    // Absent where the page has not come over TLS.
    const copied = navigator.clipboard?.writeText(text()) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => setDone('yes'),
      () => setDone('shown'),
    )
  }
  return (
    <>
      <Button look="quiet" onClick={copy}>
        {done === 'yes' ? 'Copied' : children}
      </Button>
      <span role="status" className="unseen">
        {done === 'yes' ? 'Copied' : ''}
      </span>
      {done === 'shown' && <pre>{text()}</pre>}
    </>
  )
}
