/**
 * Adds up the pages of a dry run of `user-access.revoke`. For the command line and the console; not part of the published
 * package.
 */
import type { RevokeUserAccessResult } from '../generated/operations.ts'

export type RevocationPreview = NonNullable<RevokeUserAccessResult['preview']>
export type HeldAccess = RevocationPreview['users'][number]

/** Returns whether the dry run found nothing that a revocation would remove. */
export const holdsNothing = ({ grants, userGroups }: HeldAccess): boolean => grants === 0 && userGroups === 0

/** Returns the sums of the counts, and of each list the first items, at most `shownMax`. There is at least one page. */
export const sumOfPages = (pages: readonly RevocationPreview[], shownMax: number): RevocationPreview =>
  pages.reduce((total, page) => ({
    users: total.users.map((user, index) => sumOfUser(user, page.users[index] ?? user, shownMax)),
    public: {
      ...page.public,
      organizations: total.public.organizations + page.public.organizations,
      firstOrganizations: [...total.public.firstOrganizations, ...page.public.firstOrganizations].slice(0, shownMax),
    },
  }))

const sumOfUser = (one: HeldAccess, other: HeldAccess, shownMax: number): HeldAccess => ({
  ...other,
  organizations: one.organizations + other.organizations,
  grants: one.grants + other.grants,
  temporaryGrants: one.temporaryGrants + other.temporaryGrants,
  userGroups: one.userGroups + other.userGroups,
  hasMore: one.hasMore || other.hasMore,
  firstOrganizations: [...one.firstOrganizations, ...other.firstOrganizations].slice(0, shownMax),
  firstGrants: [...one.firstGrants, ...other.firstGrants].slice(0, shownMax),
  firstUserGroups: [...one.firstUserGroups, ...other.firstUserGroups].slice(0, shownMax),
})
