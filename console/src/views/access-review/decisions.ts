/** The decisions of a reviewer, kept in this browser for the same account, so that a review can continue later. */
import { useState } from 'react'
import type { SignedIn } from '#sdk/session.ts'
import { FORGOTTEN_PREFIX } from '../../recent.ts'
import { accountOf } from '../../session/owner.ts'

export type Decision = 'keep' | 'remove'

export interface Decisions {
  of: (name: string) => Decision | undefined
  decide: (names: readonly string[], decision: Decision | undefined) => void
  /** Unix milliseconds of the first decision; undefined before it. */
  beganAt: number | undefined
  /** Forgets all decisions; the returned function takes that back. */
  startAgain: () => () => void
}

interface Kept {
  beganAt: number | undefined
  decided: Record<string, Decision>
}

const NOTHING: Kept = { beganAt: undefined, decided: {} }

function read(place: string): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? 'null')
    return kept !== null && typeof kept === 'object' && 'decided' in kept ? (kept as Kept) : NOTHING
  } catch {
    return NOTHING
  }
}

/** Where the decisions are kept. Several people can have the same token, so signing out deletes those made with one. */
const placeOf = (session: SignedIn, apiKey: string, organizationId: string): string =>
  `${session.operator === undefined ? FORGOTTEN_PREFIX : 'commonhold-'}access-review ${JSON.stringify([accountOf(session), apiKey, organizationId])}`

/** The decisions of the account about the grants of an organization. */
export function useDecisions(session: SignedIn, apiKey: string, organizationId: string): Decisions {
  const place = placeOf(session, apiKey, organizationId)
  const [kept, setKept] = useState(() => read(place))
  function keep(next: Kept): void {
    setKept(next)
    if (next.beganAt === undefined) localStorage.removeItem(place)
    else localStorage.setItem(place, JSON.stringify(next))
  }
  return {
    of: (name) => kept.decided[name],
    decide(names, decision) {
      // What is stored, not what was shown: a removal decides part after part, and another tab may decide too.
      const before = read(place)
      const decided = { ...before.decided }
      for (const name of names)
        if (decision === undefined) delete decided[name]
        else decided[name] = decision
      keep({ beganAt: before.beganAt ?? Date.now(), decided })
    },
    beganAt: kept.beganAt,
    startAgain() {
      const before = read(place)
      keep(NOTHING)
      // What was decided in the meantime counts.
      return () => keep({ ...before, decided: { ...before.decided, ...read(place).decided } })
    },
  }
}
