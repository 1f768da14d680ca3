/** Reads the profiles of people whom callers have named inline (rules/comments.md#people). */
import { statement } from '#platform/db/statement.ts'

/** Returns the existing profiles of users of an API key. */
export const FIND_PROFILES = statement<{ userId: string; profile: Record<string, unknown> }>(
  'users.find-named-profiles',
  /* sql */ `
  select u.user_id as "userId", u.profile from unnest($2::text[]) as asked (user_id)
   cross join lateral (
      select u.user_id, u.profile from users u where u.api_key_id = $1 and u.user_id = asked.user_id limit 1
    ) u`,
)
