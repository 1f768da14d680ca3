/**
 * SQL: who sees a thread, one text for all statements (rules/comments.md#visibility). It does not decide whether the
 * user can open the document.
 */
import { isMember } from './grants.ts'

/**
 * Whether the visibility of the thread `t` includes `user`. Members of an organization are those with a live grant of their own on it. A
 * thread with an access context includes nobody, because a call has no context of the user to compare it with.
 */
export const isVisibleTo = (t: string, user: string): string => /* sql */ `
                 (${t}.access_context is null or ${t}.access_context = '{}')
                 and (${t}.visibility = 'public' or ${t}.author_id = ${user} or ${user} = any(${t}.visibility_user_ids)
                      or ${t}.visibility = 'organizationPrivate' and exists (
                           select from unnest(${t}.visibility_organization_keys) as o (key)
                            where ${isMember('o.key', user)}))`

/**
 * Whether the thread `t` is visible to everybody who has access to its document. Two indexes of threads have this
 * condition (migration 0034).
 */
export const isPublicThread = (t: string): string => `(${t}.visibility = 'public' and ${t}.access_context is null)`

/**
 * The visibility of a thread in events, from its `visibility` and its access context: a thread with a context includes
 * nobody, so later readers of the event must not take it for public.
 */
export const visibilityInEvents = (visibility: string, context: string): string =>
  `case when ${context} <> '{}' then 'restricted' else ${visibility} end`

/** Returns the SQL for the visibility in the stored content of a thread. */
export const visibilityOf = (content: string): string =>
  visibilityInEvents(`${content} -> 'visibility' ->> 'type'`, `${content} -> 'context' -> 'access'`)

/**
 * The time since when the thread `t` has its id: a later thread can have the id of a deleted one, and its readers must
 * not see what happened to the deleted thread. Callers choose `created_at`, which may be later than the first comment.
 */
export const existsSince = (t: string): string => `least(${t}.created_at, date_trunc('milliseconds', ${t}.stored_at))`

/** Whether the activity `a` is about a private thread that was deleted, and not about a later one that has its id. */
export const OF_DELETED_THREAD = /* sql */ `exists (
           select from deleted_private_threads p
             left join threads t on t.organization_key = p.organization_key and t.resource_key = p.resource_key and t.annotation_id = p.annotation_id
            where p.organization_key = a.organization_key and p.resource_key = a.resource_key and p.annotation_id = a.target_entity_id
              and (t.annotation_id is null or a.recorded_at < least(p.hides_until, date_trunc('milliseconds', t.stored_at))))`
