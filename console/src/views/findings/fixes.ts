/** The changes of access among the calls of a finding, with the labels of their buttons. */
import type { Finding } from '#sdk/generated/operations.ts'
import { type Fix, fixOf } from '../access/change/fix.ts'

export interface LabelledFix extends Fix {
  label: string
}

export const fixesOf = (finding: Finding): LabelledFix[] =>
  finding.calls.flatMap((call) => {
    const fix = fixOf(call)
    return fix === undefined ? [] : [{ ...fix, label: labelOf(fix, finding) }]
  })

function labelOf({ resource, change: { revoke, accessType } }: Fix, { kind, resource: subject }: Finding): string {
  if (revoke !== undefined) return 'Revoke…'
  if (accessType !== undefined) return accessType === null ? 'Follow the folder…' : 'Restrict…'
  return resource.id === subject?.id ? (GIVING[kind] ?? 'Change…') : `Give on ${resource.id}…`
}

const GIVING: Partial<Record<Finding['kind'], string>> = {
  expired_lately: 'Give again…',
  guest_without_end: 'Set an end…',
  trainee_edits_everything: 'Make viewer…',
}
