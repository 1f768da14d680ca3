/** The decisions of a reviewer, kept in this browser for the same account, so that a review can continue later. */
import { useEffect, useState } from 'react'
import type { SignedIn } from '#sdk/session.ts'
import { FORGOTTEN_PREFIX } from '../../recent.ts'
import { accountOf } from '../../session/owner.ts'
import { forgetText, keepText, keptValue } from '../../storage.ts'

export type Decision = 'keep' | 'remove'

export interface Decisions {
  of: (name: string) => Decision | undefined
  decide: (names: readonly string[], decision: Decision | undefined) => void
  /** Unix milliseconds of the first decision; undefined before it. */
  beganAt: number | undefined
  /** False: the browser stores nothing more, and the decisions are lost when the page is left. */
  isStored: boolean
  /** Forgets all decisions; the returned function takes that back. */
  startAgain: () => () => void
}

interface Kept {
  beganAt: number | undefined
  decided: Record<string, Decision>
}

const NOTHING: Kept = { beganAt: undefined, decided: {} }

function read(place: string): Kept {
  const kept = keptValue(place)
  return typeof kept === 'object' && kept !== null && 'decided' in kept ? (kept as Kept) : NOTHING
}

/** Where the decisions are kept. Several people can have the same token, so signing out deletes those made with one. */
const placeOf = (session: SignedIn, apiKey: string, organizationId: string): string =>
  `${session.operator === undefined ? FORGOTTEN_PREFIX : 'commonhold-'}access-review ${JSON.stringify([accountOf(session), apiKey, organizationId])}`

/** The decisions of the account about the grants of an organization. */
export function useDecisions(session: SignedIn, apiKey: string, organizationId: string): Decisions {
  const place = placeOf(session, apiKey, organizationId)
  const [kept, setKept] = useState(() => read(place))
  const [isStored, setStored] = useState(true)
  // Another tab decides too, and starts again.
  useEffect(() => {
    const follow = ({ key }: StorageEvent) => {
      if (key === place || key === null) setKept(read(place))
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [place])
  const now = () => (isStored ? read(place) : kept)
  function keep(next: Kept): void {
    setKept(next)
    if (next.beganAt === undefined) forgetText(place)
    setStored(next.beganAt === undefined || keepText(place, JSON.stringify(next)))
  }
  return {
    of: (name) => kept.decided[name],
    decide(names, decision) {
      // The stored decisions, not the shown ones: a removal decides in parts, and another tab may decide too.
      const before = now()
      const decided = { ...before.decided }
      for (const name of names)
        if (decision === undefined) delete decided[name]
        else decided[name] = decision
      keep({ beganAt: before.beganAt ?? Date.now(), decided })
    },
    beganAt: kept.beganAt,
    isStored,
    startAgain() {
      const before = now()
      keep(NOTHING)
      // Decisions that were made in the meantime count.
      return () => keep({ ...before, decided: { ...before.decided, ...read(place).decided } })
    },
  }
}
