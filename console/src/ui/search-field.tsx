import { useEffect, useState } from 'react'
import { TextField } from './field.js'

/** Long enough that a word is not asked for letter by letter, and short enough not to be noticed. */
const PAUSE_MILLIS = 60

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
}

/** A field for text that is searched for while it is typed. */
export function SearchField({ label, value, onChange, hint }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const [told, setTold] = useState(value)
  // The address has changed by itself: back, forward, or a link.
  if (value !== told) {
    setTold(value)
    setText(value)
  }
  useEffect(() => {
    if (text === told) return
    const timer = setTimeout(() => {
      setTold(text)
      onChange(text)
    }, PAUSE_MILLIS)
    return () => clearTimeout(timer)
  }, [text, told, onChange])
  return <TextField label={label} type="search" value={text} onChange={setText} hint={hint} />
}
