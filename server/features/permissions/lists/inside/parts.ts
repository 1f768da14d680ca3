/**
 * The parts shared by the SQL statements that find users who may have access to something inside a folder or organization. Whoever
 * has, but not to the folder or organization itself, and not merely because it is public, holds a live grant on something
 * inside, or is a member while something inside has the access type organizationPrivate of its own, or holds a grant further up that
 * makes more of the user, where something inside is public, than of everybody. Each statement examines users in the order of their
 * ids, up to `examinedTo`; an unnecessary candidate costs only time (ADR 0014).
 *
 * $1 is the organization's key, $2 the key of the folder or organization, $3 the requested role, $4 the user id to continue after,
 * $5 the maximum number of users, $7 the default access role of the API key.
 */
import { isLive, liveRole } from '#tenancy/grants.ts'

/** If nobody was found, there is one row whose `userId` is null. */
export interface InsideCandidateRow {
  userId: string | null
  /** All users up to this id were examined; null: all users. */
  examinedTo: string | null
  /** There is more inside than the limit: nobody was examined. */
  tooMany: boolean
}

export const LIVE = isLive('g')
export const SUFFICES = /* sql */ `(${LIVE} and ($3::access_role is distinct from 'editor' or ${liveRole('g')} = 'editor'))`

/** `scope`: the path of the folder or organization; no row if the organization is disabled. */
export const SCOPE = /* sql */ `
  scope as materialized (
    select r.path, o.has_group_grants
      from resources r join organizations o on o.organization_key = r.organization_key
     where r.organization_key = $1 and r.resource_key = $2 and r.kind <> 'document' and not o.disabled
  )`

/** Whether the user holds a live grant on the organization. */
export const isMember = (userId: string): string => /* sql */ `exists (
           select from grants g where g.organization_key = $1 and g.resource_key = $1 and g.principal = ${userId} and ${LIVE})`
