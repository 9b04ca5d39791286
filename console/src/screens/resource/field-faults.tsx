import { type DescMessage, equals, type Message } from '@bufbuild/protobuf'
import type { Path } from '@bufbuild/protobuf/reflect'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import type { Failure } from '../../api/failure.js'
import { asSentence, camelCase, durationText, labelOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import controls from '../../ui/controls.module.css'
import { DialogFoot } from '../../ui/dialog.js'

/** What is wrong with a value of a form. */
export interface FieldFault {
  /** The names and places on the way to it. */
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** The faults of what is at the next place of their paths. */
export function faultsAt(faults: readonly FieldFault[], place: string | number): FieldFault[] {
  return faults.flatMap(({ path: [first, ...rest], text }) => (first === place ? [{ path: rest, text }] : []))
}

/** Faults that no control of their own shows. */
export function Faults({ faults }: { readonly faults: readonly FieldFault[] }) {
  return faults.map(({ path, text }) => (
    <p key={`${path.join('.')} ${text}`} role="alert" className={controls['fault']}>
      {path.length > 0 && `${labelOf(String(path.at(-1)))}: `}
      {text}
    </p>
  ))
}

interface FormFaultsOptions {
  /** The names of the fields that the form has. */
  readonly shown: readonly string[]
  /** The way to them. Default: they are fields of the request. */
  readonly within?: readonly (string | number)[]
  /** What cannot be read, so that there is no request. */
  readonly unread?: readonly FieldFault[]
  /** Whether what is wrong with a field is said before the review. Default: unless it is only missing. */
  readonly isTouched?: (name: string) => boolean
}

/** What is wrong with the fields of a form, by the schema and by the service; what is missing, once it is reviewed. */
export function useFormFaults(schema: DescMessage, request: Message | undefined, options: FormFaultsOptions) {
  const { shown, within = [], unread = [], isTouched } = options
  const limits = useLimits(schema, request)
  const [isAsked, setAsked] = useState(false)
  const [isReviewing, setReviewing] = useState(false)
  const back = () => setReviewing(false)
  const [refused, setRefused] = useState<{ readonly of: Message; readonly faults: readonly FieldFault[] }>()
  const stillRefused = refused && request && equals(schema, refused.of, request) ? refused.faults : []
  const atFields = (faults: readonly FieldFault[]) =>
    within.reduce(faultsAt, [...faults]).filter(({ path: [name] }) => shown.includes(String(name)))
  const faults = [...unread, ...atFields([...(limits ?? []), ...stillRefused])]
  const isTold = ({ path: [name], text }: FieldFault) => (isTouched ? isTouched(String(name)) : text !== REQUIRED)
  const told = faults.filter((fault) => isAsked || isTold(fault))
  const pending = limits === undefined ? 'It is being checked.' : undefined
  return {
    /** Those at a field, or in what it holds. */
    at: (name: string | number) => faultsAt(told, name),
    why: told.length > 0 ? 'Correct what is marked first.' : pending,
    isReviewing,
    review: () => {
      setAsked(true)
      setReviewing(faults.length === 0)
    },
    /** What the dialog of the write takes. What belongs to no field of the form stays where it was said. */
    reviewed: {
      isTyped: true,
      onClose: back,
      onFaults: (found: Failure['faults']) => {
        const isBare = ({ path: [name] }: FieldFault) => shown.includes(String(name))
        const places = refusalsOf(found).map((each) =>
          isBare(each) ? { ...each, path: [...within, ...each.path] } : each,
        )
        if (request === undefined || atFields(places).length === 0) return
        setRefused({ of: request, faults: places })
        back()
      },
    },
  }
}

interface FormFootProps {
  readonly form: ReturnType<typeof useFormFaults>
  readonly isTyped: boolean
  readonly onClose: () => void
  /** Why it cannot be reviewed. */
  readonly why?: string | undefined
  readonly children?: ReactNode
}

/** The foot of a form, which leads to what it changes. */
export function FormFoot({ form, isTyped, onClose, why = form.why, children = 'Review' }: FormFootProps) {
  return (
    <DialogFoot>
      <Button onClick={onClose}>{isTyped ? 'Discard changes' : 'Cancel'}</Button>
      <Button look="main" onClick={form.review} why={why}>
        {children}
      </Button>
    </DialogFoot>
  )
}

/** What the limits of the schema say of a request; undefined as long as they are being loaded. */
function useLimits(schema: DescMessage, message: Message | undefined): readonly FieldFault[] | undefined {
  const { data: validator, isError } = useQuery({
    queryKey: ['validator'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('@bufbuild/protovalidate')).createValidator(),
  })
  return useMemo(() => {
    // Where they cannot be loaded, the service alone checks.
    if (validator === undefined) return isError ? [] : undefined
    if (message === undefined) return []
    const { violations = [] } = validator.validate(schema, message)
    return violations.map(({ field, ruleId, message: text }) => ({
      path: placesOf(field),
      text: wordsFor(ruleId, String(placesOf(field).at(-1)).endsWith('Seconds') ? inTime(text) : text),
    }))
  }, [validator, isError, schema, message])
}

/** What the service refuses, at the fields of the form, without the paths that programs read. */
function refusalsOf(faults: Failure['faults']): FieldFault[] {
  return faults.map(({ field, description }) => ({
    path: [...field.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : camelCase(part))),
    text: asSentence(description.replace(/^repeats \S+?(?=:|$)/, 'repeats another one')),
  }))
}

function placesOf(path: Path): (string | number)[] {
  return path.flatMap((part) => {
    if (part.kind === 'field') return part.localName
    return part.kind === 'list_sub' ? part.index : []
  })
}

const REQUIRED = 'This is required.'

/** What is said of rules whose own words are for programs. */
const words: Readonly<Record<string, string>> = {
  required: REQUIRED,
  'string.min_len': REQUIRED,
  'string.pattern': 'This has characters that cannot be used here.',
}

function wordsFor(ruleId: string, text: string): string {
  const short = text
    .replace(/^value (?:length )?/, '')
    .replaceAll('greater than or equal to', 'at least')
    .replaceAll(/less than or equal to|no more than/g, 'at most')
    .replace(/^must contain (.+) item\(s\)$/, 'there must be $1')
  return words[ruleId] ?? asSentence(short)
}

/** Lengths of time as people say them: limits are in seconds. */
function inTime(text: string): string {
  return text.replaceAll(/\d+/g, (seconds) => durationText(Number(seconds)))
}
