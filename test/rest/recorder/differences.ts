import { type Outcome, stableText } from './outcome.js'

type Reader = (outcome: Outcome) => unknown

/** What is compared of two outcomes, and how it is read from one; what it does not say is undefined. */
const readers = {
  accepted: ({ method, status }) => (method === undefined ? status && status < 300 : true),
  status: ({ status }) => status,
  code: ({ code }) => code,
  method: ({ method }) => method,
  message: ({ message }) => message,
  answer: ({ answer }) => answer,
} satisfies Record<string, Reader>

export type Aspect = keyof typeof readers

/** What ours is, and what the others agree on. */
export type Differences = Partial<Record<Aspect, { readonly ours: unknown; readonly others: unknown }>>

/**
 * In which aspects an outcome differs from what others agree on. Where some accept what others refuse, they agree on
 * nothing; where ours is the other of the two, nothing else can be compared.
 */
export function differencesFrom(ours: Outcome, others: readonly Outcome[]): Differences {
  const accepted = agreedOn(others, readers.accepted)
  if (accepted === undefined) return {}
  const aspects: Aspect[] = accepted ? ['status', 'method', 'message', 'answer'] : ['status', 'code']
  const differing = accepted === readers.accepted(ours) ? aspects : (['accepted'] as const)
  const found: Differences = {}
  for (const aspect of differing) {
    const agreed = agreedOn(others, readers[aspect])
    const own = readers[aspect](ours)
    if (agreed !== undefined && !isSame(agreed, own)) found[aspect] = { ours: own, others: agreed }
  }
  return found
}

/** Whether others take a request alike, or only one says how: it is refused, or made the same call. */
export function takeAlike(others: readonly Outcome[]): boolean {
  const accepted = agreedOn(others, readers.accepted)
  const messages = new Set(others.map(readers.message).filter(Boolean).map(stableText))
  return accepted !== undefined && messages.size <= 1
}

/** What all say that say something, if it is the same. */
function agreedOn(outcomes: readonly Outcome[], read: Reader): unknown {
  const values = outcomes.map(read).filter((value) => value !== undefined)
  return values.every((value) => isSame(value, values[0])) ? values[0] : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  return stableText(a) === stableText(b)
}
