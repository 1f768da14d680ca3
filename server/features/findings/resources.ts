/** The findings about one folder or document (rules/access.md#findings). */
import type { Finding, FindingKind } from '#contract/access/findings.ts'
import { spoken } from './grants.ts'
import type { ResourceCandidate } from './resource-statements.ts'

export function resourceFindings(row: ResourceCandidate): Finding[] {
  const { type, id, name, organizationId, changedAt } = row
  const what = spoken(type, id, name)
  const ids = { organizationId, [type === 'folder' ? 'folderIds' : 'documentIds']: [id] }
  const setAccess = (access: object) => [{ operation: `${type}-access.set`, data: { ...ids, ...access } }]
  const finding = (kind: FindingKind, sentence: string, calls: Finding['calls']): Finding => ({
    ...{ kind, sentence, resource: { type, id, organizationId }, calls },
    ...(name !== null && { resourceName: name }),
    ...(changedAt !== null && { since: changedAt.getTime() }),
  })
  const subject = `T${what.slice(1)}`
  return [
    ...(row.isPublicInRestricted
      ? [
          finding(
            'public_in_restricted',
            `${subject} is public, in a restricted folder.`,
            // As open as the folder: an access type of its own would shut out the people with grants there.
            setAccess({ inheritFromParent: true }),
          ),
        ]
      : row.isPublic
        ? [
            finding(
              'public_private_name',
              `${subject} is public, and its name sounds private.`,
              setAccess({ accessType: 'restricted' }),
            ),
          ]
        : []),
    ...(row.isClosedInside
      ? [
          finding(
            'closed_inside',
            `${subject} is restricted, and people with grants on the folder cannot open it.`,
            setAccess({ inheritFromParent: true }),
          ),
        ]
      : []),
    ...(row.isDisabledWithGrants
      ? [
          finding('disabled_with_grants', `${subject} is disabled, although people have grants.`, [
            { operation: `${type}s.disable`, data: { ...ids, disabled: false } },
          ]),
        ]
      : []),
  ]
}
