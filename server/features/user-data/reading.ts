/**
 * Reads the data held about a user, page by page: of one organization, or of all of them in id order
 * (rules/resources.md#erasure).
 */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getUserData } from '#contract/users/user-data.ts'
import { peopleInComments, showing } from '#features/comments/shared.ts'
import { recordOf } from '#features/invitations/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, streamKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { inviteeOf } from '#tenancy/principals.ts'
import { publicAmong } from '#tenancy/public-access.ts'
import { FIND_KNOWING } from './erasure-statements.ts'
import { LISTS, type List, type Person } from './lists.ts'
import { GET_PROFILE } from './reading-statements.ts'
import {
  activityOf,
  commentOf,
  eventOf,
  grantOf,
  mentionOf,
  notificationOf,
  preferenceOf,
  threadOf,
  userGroupOf,
} from './records.ts'

type Data = ResultOf<typeof getUserData>

/** Where each list continues; null at its end, and absent at its beginning. */
type Cursors = Partial<Record<keyof typeof LISTS, string | null>>

/**
 * Where a page starts: in an organization (null: outside organizations), or in the first one after an id that holds
 * data about the user.
 */
type Place = ({ in: string | null } & Cursors) | { after: string }

const NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[]

/** Outside organizations there are events alone. */
const OUTSIDE: Place = {
  in: null,
  ...(Object.fromEntries(NAMES.flatMap((name) => (name === 'events' ? [] : [[name, null]]))) as Cursors),
}

/** A page searches no more organizations for the next one. */
const ORGANIZATIONS_MAX = 1_000

export function createReading({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async get(
      caller: Caller,
      data: DataOf<typeof getUserData>,
    ): Promise<Paged<Data> & Pick<HandlerResult<Data>, 'warnings'>> {
      const { userId, uniqueId, pageToken } = data
      const organizationId = data.serviceAllOrganizations ? undefined : data.organizationId
      const scope = ['user-data.get', caller.apiKeyId, organizationId ?? null, userId]
      const token = pageTokens.decode(scope, pageToken)
      if (organizationId !== undefined) await requireOrganization(db, organizationKey(caller, organizationId))
      const first = organizationId === undefined ? OUTSIDE : { in: organizationId }
      const place: Place = token === null ? first : JSON.parse(token)
      const [held] = await db.run(GET_PROFILE, [caller.apiKeyId, userId])
      const email = held?.profile?.email
      const person = { userId, invitee: typeof email === 'string' ? inviteeOf(email) : null }
      const { next, ...lists } = await readAt(caller, person, place)
      const goesOn = next !== null && !(organizationId !== undefined && 'after' in next)
      return {
        data: {
          ...(uniqueId === undefined ? {} : { uniqueId }),
          profile: held?.profile ?? null,
          disabled: held?.disabled === true,
          ...lists,
          reactions: [],
          recordings: [],
        },
        ...(goesOn ? { nextPageToken: pageTokens.encode(scope, JSON.stringify(next)) } : {}),
        ...('organizationId' in lists && lists.organizationId !== undefined
          ? await publicAmong(db, caller, lists.organizationId, lists.grants)
          : {}),
      }
    },
  }

  async function readAt(caller: Caller, person: Person, place: Place) {
    if (!('after' in place)) return readIn(caller, person, place)
    const names = person.invitee === null ? [person.userId] : [person.userId, person.invitee]
    const passed = await db.run(FIND_KNOWING, [caller.apiKeyId, place.after, names, ORGANIZATIONS_MAX])
    const found = passed.find(({ userIds }) => userIds.length > 0)
    if (found !== undefined) return readAt(caller, person, { in: found.organizationId })
    const last = passed.length < ORGANIZATIONS_MAX ? undefined : passed.at(-1)
    return {
      ...(Object.fromEntries(NAMES.map((name) => [name, []])) as Record<keyof typeof LISTS, never[]>),
      next: last === undefined ? null : { after: last.organizationId },
    }
  }

  async function readIn(caller: Caller, person: Person, place: Exclude<Place, { after: string }>) {
    const organizationId = place.in
    const stream =
      organizationId === null ? streamKey('api key', caller.apiKeyId) : organizationKey(caller, organizationId)
    const cursors: Cursors = {}
    async function rowsOf<Row>(name: keyof typeof LISTS, { first, read, at }: List<Row>): Promise<Row[]> {
      const after = place[name] === undefined ? first : place[name]
      const found = after === null ? [] : await read(db, stream, person, after, LIMITS.userDataPageSize + 1)
      const { page, last } = cutPage(found, LIMITS.userDataPageSize)
      cursors[name] = last === undefined ? null : at(last)
      return page
    }
    const comments = await rowsOf('comments', LISTS.comments)
    const { acting, named } = peopleInComments(comments.map(({ content }) => content))
    const show = await showing(db, caller, new Set([...acting, ...named]))
    const lists = {
      grants: (await rowsOf('grants', LISTS.grants)).map(grantOf),
      userGroups: (await rowsOf('userGroups', LISTS.userGroups)).map(userGroupOf),
      invitations: (await rowsOf('invitations', LISTS.invitations)).map((row) => recordOf(organizationId ?? '', row)),
      events: (await rowsOf('events', LISTS.events)).map(eventOf),
      comments: comments.map((row) => commentOf(row, show)),
      mentions: (await rowsOf('mentions', LISTS.mentions)).map(mentionOf),
      threads: (await rowsOf('threads', LISTS.threads)).map(threadOf),
      notifications: (await rowsOf('notifications', LISTS.notifications)).map(notificationOf),
      notificationPreferences: (await rowsOf('notificationPreferences', LISTS.notificationPreferences)).map(
        preferenceOf,
      ),
      activities: (await rowsOf('activities', LISTS.activities)).map(activityOf),
    }
    const ended = Object.values(cursors).every((cursor) => cursor === null)
    const next: Place = ended ? { after: organizationId ?? '' } : { in: organizationId, ...cursors }
    return { ...(organizationId === null ? {} : { organizationId }), ...lists, next }
  }
}
