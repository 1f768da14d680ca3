/** The decisions of a reviewer, kept in this browser, so that a review can continue later. */
import { useState } from 'react'

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

/** The decisions about the grants of an organization. */
export function useDecisions(apiKey: string, organizationId: string): Decisions {
  const place = `commonhold-access-review ${JSON.stringify([apiKey, organizationId])}`
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
      keep(NOTHING)
      return () => keep(kept)
    },
  }
}
