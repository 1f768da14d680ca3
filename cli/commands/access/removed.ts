/** The output of commands that remove grants: what each resource had before, and whether the user still has access. */
import { explainPermissions } from '#contract/access/explanations.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { call } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import { withWarnings } from '../../connection/warnings.ts'
import type { Outcome } from '../../operation-command.ts'
import type { Existing } from '../../terminal/output.ts'
import { plain } from '../../terminal/terminal.ts'
import { foundBy } from '../structure/existing.ts'
import { grantsOn } from './granted.ts'
import { placeOf, RESOURCES_MAX, type Resource } from './place.ts'

interface Removing {
  userId: string
  permissions: { resources: readonly (Resource & { temporaryOnly?: boolean })[] }
}

/** Returns the resources on which the user has no such grant. To be called before the call. */
export async function withoutGrant(
  connection: Connection,
  { userId, permissions: { resources } }: Removing,
): Promise<Existing> {
  const without = new Set<string>()
  for (const { temporaryOnly = false, ...on } of resources.slice(0, RESOURCES_MAX)) {
    const own = await foundBy(() => grantsOn(connection, userId, on))
    if (own?.every(({ expiresAt }) => temporaryOnly && expiresAt === undefined)) without.add(placeOf(on))
  }
  return { unchanged: without }
}

/** Returns what was removed, and why the user still has access, if so. */
export async function removed(
  connection: Connection,
  { userId, permissions: { resources } }: Removing,
  without: ReadonlySet<string>,
): Promise<Outcome> {
  if (resources.length > RESOURCES_MAX) return { lines: [removePermissions.success], more: [], json: {} }
  const user = plain(userId)
  const lines: string[] = []
  const accessAfter: object[] = []
  const more: string[] = []
  for (const { temporaryOnly = false, ...on } of resources) {
    const [place, grant] = [placeOf(on), temporaryOnly ? 'temporary grant' : 'grant']
    const found = await foundBy(() =>
      withWarnings(() => call(connection, explainPermissions, { userId, resource: on })),
    )
    if (found === undefined) {
      // A token that may not ask, such as one with only the scope write, cannot know the previous grants.
      lines.push(`${user} has no ${grant} on ${place} now.`)
      continue
    }
    lines.push(
      without.has(place) ? `${user} had no ${grant} on ${place}.` : `Removed the ${grant} of ${user} on ${place}.`,
    )
    const { decision, rule } = found[0] as ResultOf<typeof explainPermissions>
    accessAfter.push({ ...on, allowed: decision.allowed, ...(decision.allowed && { accessRole: decision.accessRole }) })
    if (decision.allowed) more.push(`Still has access: ${plain(rule.sentence)}`)
  }
  return { lines, more, json: { accessAfter } }
}
