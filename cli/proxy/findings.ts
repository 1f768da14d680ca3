/** The findings of the proxy about a call, and their severity. */

/**
 * - `works`: Commonhold accepts such a call.
 * - `differs`: it accepts such a call, but returns or does something different from the hosted service.
 * - `strict`: it refuses such a call unless the server has `STRICT_FIELDS=false`.
 * - `fails`: it refuses such a call.
 */
export const VERDICTS = ['works', 'differs', 'strict', 'fails'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface Finding {
  verdict: Exclude<Verdict, 'works'>
  /** A stable code for programs: the `reason` of the server, if it has one. */
  reason: string
  message: string
}

export const verdictOf = (findings: readonly Finding[]): Verdict =>
  findings.reduce<Verdict>(
    (worst, { verdict }) => (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(worst) ? verdict : worst),
    'works',
  )
