/** Says in sentences what a change of access does, for a preview. */
import { type Access, type Change, idOf, sayVia, type Target, targetName } from '../connection/sharing.ts'
import type { Say } from './texts.ts'

export const sayEnd = (expiresAt: number, locale: string): string =>
  new Date(expiresAt * 1_000).toLocaleDateString(locale, { dateStyle: 'medium' })

/** A role, with its end if it has one. */
export const sayAccess = ({ accessRole, expiresAt }: Access, say: Say, locale: string): string =>
  expiresAt === undefined
    ? say(accessRole)
    : `${say(accessRole)}, ${say('endsOn', { when: sayEnd(expiresAt, locale) })}`

/** Returns a sentence for each change, and for the members of a group one for each effect. */
export function sayChanges(
  changes: readonly Change[],
  named: ReadonlyMap<string, Target>,
  say: Say,
  locale: string,
): string[] {
  return changes.flatMap((change) => {
    const name = `\u2068${targetName(named.get(idOf(change)) ?? change)}\u2069`
    const { gaining = 0, changing = 0, losing = 0 } = change.members ?? {}
    return [
      sayChange(change, name, say, locale),
      ...(gaining > 0 ? [say('groupGains', { count: gaining })] : []),
      ...(changing > 0 ? [say('groupChanges', { count: changing })] : []),
      ...(losing > 0 ? [say('groupLoses', { count: losing })] : []),
    ]
  })
}

function sayChange({ effect, before, after }: Change, name: string, say: Say, locale: string): string {
  if (effect === 'removed')
    return after === undefined
      ? say('loses', { name })
      : say('keeps', { name, via: sayVia(after.via, say), role: sayAccess(after, say, locale) })
  if (effect === 'unchanged' || after === undefined) return say('same', { name })
  const role = sayAccess(after, say, locale)
  if (before === undefined) return say('gets', { name, role })
  return say('becomes', { name, role, before: sayAccess(before, say, locale) })
}
