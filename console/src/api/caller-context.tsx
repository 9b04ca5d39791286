import type { DescMethodUnary } from '@bufbuild/protobuf'
import { createContext, use } from 'react'
import type { Caller } from '../../../gen/svc/v2/caller_pb.js'
import { type RightSubject, whyNot } from './rights.js'

/** Who is signed in, given by the shell. */
export const CallerContext = createContext<Caller | undefined>(undefined)

/** What a form sends: of what belongs to a team it offers that of the teams in which the caller may send it. */
export const FormMethod = createContext<DescMethodUnary | undefined>(undefined)

/** Who is signed in. Throws outside the shell. */
export function useCaller(): Caller {
  const caller = use(CallerContext)
  if (caller === undefined) throw new Error('no CallerContext is above this component')
  return caller
}

/** Why the caller may not call a method; undefined if they may. */
export function useWhyNot(method: DescMethodUnary, subject?: RightSubject): string | undefined {
  return whyNot(method, useCaller(), subject)
}

/** The teams that alone a caller may call a method in; undefined for those who may everywhere. */
export function useOwnTeams(method: DescMethodUnary): Caller['teams'] | undefined {
  const caller = useCaller()
  const mayIn = (teams: Caller['teams']) => whyNot(method, { ...caller, teams }) === undefined
  return mayIn([]) ? undefined : caller.teams.filter((team) => mayIn([team]))
}
