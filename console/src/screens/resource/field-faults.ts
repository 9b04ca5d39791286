import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { Path } from '@bufbuild/protobuf/reflect'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Failure } from '../../api/failure.js'

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

/** What the limits of the schema say of a request; undefined until they are loaded. */
export function useLimits(schema: DescMessage, message: Message | undefined): readonly FieldFault[] | undefined {
  const { data: validator } = useQuery({
    queryKey: ['validator'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('@bufbuild/protovalidate')).createValidator(),
  })
  return useMemo(() => {
    if (validator === undefined) return undefined
    if (message === undefined) return []
    const { violations = [] } = validator.validate(schema, message)
    return violations.map(({ field, ruleId, message: text }) => ({
      path: placesOf(field),
      text: wordsFor(ruleId, text),
    }))
  }, [validator, schema, message])
}

/** What the service refuses, at the fields of the form. */
export function refusalsOf(faults: Failure['faults']): FieldFault[] {
  return faults.map(({ field, description }) => ({
    path: [...field.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : camelCase(part))),
    text: sentenceOf(description),
  }))
}

function placesOf(path: Path): (string | number)[] {
  return path.flatMap((part) => {
    if (part.kind === 'field') return part.localName
    return part.kind === 'list_sub' ? part.index : []
  })
}

/** What is said of rules whose own words are for programs. */
const words: Readonly<Record<string, string>> = {
  required: 'This is required.',
  'string.min_len': 'This is required.',
  'string.pattern': 'This has characters that cannot be used here.',
}

function wordsFor(ruleId: string, text: string): string {
  return words[ruleId] ?? sentenceOf(text.replace(/^value (?:length )?/, ''))
}

function sentenceOf(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
