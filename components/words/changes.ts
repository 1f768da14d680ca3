/** Describes the effect of a change of access in sentences, for a preview. */
import {
  type Access,
  type Change,
  idOf,
  isolated,
  type Outcome,
  sayVia,
  targetName,
  type Wish,
} from '../connection/sharing.ts'
import type { Say } from './texts.ts'

export const sayEnd = (expiresAt: number, locale: string): string =>
  new Date(expiresAt * 1_000).toLocaleDateString(locale, { dateStyle: 'medium' })

/** A role, with its end if it has one. */
export const sayAccess = ({ accessRole, expiresAt }: Access, say: Say, locale: string): string =>
  expiresAt === undefined
    ? say(accessRole)
    : `${say(accessRole)}, ${say('endsOn', { when: sayEnd(expiresAt, locale) })}`

/** Returns the sentences of a preview: for each change, for the members of a group one for each effect, and for an earlier end. */
export function sayPreview({ changes }: Outcome, wishes: readonly Wish[], say: Say, locale: string): string[] {
  const named = new Map(wishes.map(({ target }) => [idOf(target), target]))
  const capped = wishes.find(({ isCapped }) => isCapped)
  return [
    ...changes.flatMap((change) => [
      sayChange(change, isolated(targetName(named.get(idOf(change)) ?? change)), say, locale),
      ...(change.members === undefined ? [] : sayMembers(change.members, say)),
    ]),
    ...(capped?.expiresAt === undefined ? [] : [say('capped', { when: sayEnd(capped.expiresAt, locale) })]),
  ]
}

function sayMembers({ gaining, changing, losing, isExact }: NonNullable<Change['members']>, say: Say): string[] {
  const effects = [
    ...(gaining > 0 ? [say('groupGains', { count: gaining })] : []),
    ...(changing > 0 ? [say('groupChanges', { count: changing })] : []),
    ...(losing > 0 ? [say('groupLoses', { count: losing })] : []),
  ]
  if (isExact) return effects
  return effects.length === 0 ? [say('notCounted')] : effects.map((what) => say('atLeast', { what }))
}

function sayChange({ effect, before, after }: Change, name: string, say: Say, locale: string): string {
  if (effect === 'removed') {
    if (after === undefined) return say('loses', { name })
    const [via, role] = [sayVia(after.via, say), sayAccess(after, say, locale)]
    return via === '' ? say('keepsRole', { name, role }) : say('keeps', { name, via, role })
  }
  if (effect === 'unchanged' || after === undefined) return say('same', { name })
  const role = sayAccess(after, say, locale)
  if (before === undefined) return say('gets', { name, role })
  return say('becomes', { name, role, before: sayAccess(before, say, locale) })
}
