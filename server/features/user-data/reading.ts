/**
 * Reads the data held about a user, page by page: of one organization, or of all of them in id order
 * (rules/resources.md#erasure).
 */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getUserData } from '#contract/users/user-data.ts'
import { commentRecord, type Show, showing, shownInComment } from '#features/comments/shared.ts'
import { type InvitationRow, recordOf } from '#features/invitations/shared.ts'
import type { HandlerResult } from '#http/route.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, streamKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { inviteeOf } from '#tenancy/principals.ts'
import { publicAmong } from '#tenancy/public-access.ts'
import { FIND_KNOWING } from './erasure-statements.ts'
import {
  GET_PROFILE,
  LIST_COMMENTS,
  LIST_EVENTS,
  LIST_GRANTS,
  LIST_INVITATIONS,
  LIST_NOTIFICATIONS,
  LIST_USER_GROUPS,
  type UserCommentRow,
  type UserEventRow,
  type UserGrantRow,
  type UserGroupRow,
  type UserNotificationRow,
} from './reading-statements.ts'

type Data = ResultOf<typeof getUserData>

/** Where a list continues; null at its end. */
type Cursor = string | null

/**
 * Where a page starts: in an organization (null: outside organizations), or in the first one after an id that holds
 * data about the user.
 */
type Place =
  | {
      in: string | null
      grants: Cursor
      userGroups: Cursor
      invitations: Cursor
      events: Cursor
      comments: Cursor
      notifications: Cursor
    }
  | { after: string }

const FIRST_GRANT = 'organization/00000000-0000-0000-0000-000000000000/false'
const FIRST_INVITATION = '00000000-0000-0000-0000-000000000000'
const FIRST_COMMENT = JSON.stringify(['00000000-0000-0000-0000-000000000000', '', '0'])
const inside = (organizationId: string): Place => ({
  in: organizationId,
  grants: FIRST_GRANT,
  userGroups: '',
  invitations: FIRST_INVITATION,
  events: '0',
  comments: FIRST_COMMENT,
  notifications: '',
})
const OUTSIDE: Place = {
  ...{ in: null, grants: null, userGroups: null, invitations: null, events: '0', comments: null, notifications: null },
}

/** A user, and how invitations to the user's address name them: null without an address. */
interface Person {
  userId: string
  invitee: string | null
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
      const first = organizationId === undefined ? OUTSIDE : inside(organizationId)
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
          ? await publicAmong(db, caller, organizationKey(caller, lists.organizationId), lists.grants)
          : {}),
      }
    },
  }

  async function readAt(caller: Caller, person: Person, place: Place) {
    if (!('after' in place)) return readIn(caller, person, place)
    const names = person.invitee === null ? [person.userId] : [person.userId, person.invitee]
    const passed = await db.run(FIND_KNOWING, [caller.apiKeyId, place.after, names, ORGANIZATIONS_MAX])
    const found = passed.find(({ userIds }) => userIds.length > 0)
    if (found !== undefined) return readAt(caller, person, inside(found.organizationId))
    const last = passed.length < ORGANIZATIONS_MAX ? undefined : passed.at(-1)
    return {
      grants: [],
      userGroups: [],
      invitations: [],
      events: [],
      comments: [],
      notifications: [],
      next: last === undefined ? null : { after: last.organizationId },
    }
  }

  async function readIn(caller: Caller, { userId, invitee }: Person, place: Exclude<Place, { after: string }>) {
    const organizationId = place.in
    const key = organizationId === null ? null : organizationKey(caller, organizationId)
    const grants = await page(place.grants, placeOfGrant, (after, count) => {
      const [type, resourceKey, isTemporary = 'true'] = after.split('/')
      return db.run(LIST_GRANTS, [key, userId, type, resourceKey, count, isTemporary])
    })
    const userGroups = await page(place.userGroups, placeOfUserGroup, (after, count) => {
      return db.run(LIST_USER_GROUPS, [key, userId, after, count])
    })
    const invitations = await page(place.invitations, placeOfInvitation, (after, count) => {
      return db.run(LIST_INVITATIONS, [key, userId, invitee, after, count])
    })
    const stream = key ?? streamKey('api key', caller.apiKeyId)
    const events = await page(place.events, placeOfEvent, (after, count) => {
      return db.run(LIST_EVENTS, [stream, userId, after, count])
    })
    const comments = await page(place.comments, placeOfComment, (after, count) => {
      return db.run(LIST_COMMENTS, [key, userId, ...JSON.parse(after), count])
    })
    const notifications = await page(place.notifications, placeOfNotification, (after, count) => {
      return db.run(LIST_NOTIFICATIONS, [key, userId, after, count])
    })
    const show = await showing(db, caller, new Set(comments.rows.flatMap(({ content }) => shownInComment(content))))
    const places = {
      comments: comments.next,
      notifications: notifications.next,
      grants: grants.next,
      userGroups: userGroups.next,
      invitations: invitations.next,
      events: events.next,
    }
    const ended = Object.values(places).every((cursor) => cursor === null)
    const next: Place = ended ? { after: organizationId ?? '' } : { in: organizationId, ...places }
    return {
      ...(organizationId === null ? {} : { organizationId }),
      grants: grants.rows.map(grantOf),
      userGroups: userGroups.rows.map(userGroupOf),
      invitations: invitations.rows.map((row) => recordOf(organizationId ?? '', row)),
      events: events.rows.map(eventOf),
      comments: comments.rows.map((row) => commentOf(row, show)),
      notifications: notifications.rows.map(notificationOf),
      next,
    }
  }
}

/** Returns the rows after the cursor, at most a page, and the cursor of the next page. */
async function page<Row>(
  cursor: Cursor,
  placeOf: (row: Row) => string,
  read: (after: string, count: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; next: Cursor }> {
  if (cursor === null) return { rows: [], next: null }
  const found = await read(cursor, LIMITS.userDataPageSize + 1)
  const { page: rows, last } = cutPage(found, LIMITS.userDataPageSize)
  return { rows, next: last === undefined ? null : placeOf(last) }
}

const placeOfGrant = ({ type, resourceKey, isTemporary }: UserGrantRow): string =>
  `${type}/${resourceKey}/${isTemporary}`
const placeOfUserGroup = ({ groupId }: UserGroupRow): string => groupId
const placeOfInvitation = ({ invitationId }: InvitationRow): string => invitationId
const placeOfNotification = ({ id }: UserNotificationRow): string => id
const placeOfEvent = ({ sequence }: UserEventRow): string => sequence

const placeOfComment = ({ resourceKey, annotationId, commentId }: UserCommentRow): string =>
  JSON.stringify([resourceKey, annotationId, commentId])

function commentOf({ documentId, annotationId, ...row }: UserCommentRow, show: Show): Data['comments'][number] {
  const { content, createdAt, lastUpdated } = row
  const commentId = Number(row.commentId)
  const stored = { content, commentId, createdAt: createdAt.getTime(), lastUpdated: lastUpdated.getTime() }
  return { documentId, annotationId, ...commentRecord(stored, show) }
}

function notificationOf(row: UserNotificationRow): Data['notifications'][number] {
  const { id, documentId, notificationSource, timestamp, targetAnnotationId, isNamed, readAt, content } = row
  const { actionUser, displayHeadlineMessageTemplate, displayBodyMessage } = content
  return {
    ...{ id, documentId, notificationSource, timestamp, actionUser, isNamed },
    ...(displayHeadlineMessageTemplate !== undefined && { displayHeadlineMessageTemplate }),
    ...(displayBodyMessage !== undefined && { displayBodyMessage }),
    ...(targetAnnotationId !== null && { targetAnnotationId }),
    ...(readAt !== null && { readAt }),
  }
}

const grantOf = ({ type, id, accessRole, expiresAt }: UserGrantRow): Data['grants'][number] => ({
  type,
  id,
  accessRole,
  ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
})

const userGroupOf = ({ groupId, groupName }: UserGroupRow): Data['userGroups'][number] => ({
  groupId,
  ...(groupName === null ? {} : { groupName }),
})

function eventOf(row: UserEventRow): Data['events'][number] {
  const { type, changedAt, organizationId, resourceType, resourceId, before, after } = row
  return {
    type,
    changedAt: changedAt.getTime(),
    ...(organizationId === null ? {} : { organizationId }),
    ...nameOf(resourceType, resourceId),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }
}

/** The other subject of an event: a resource, or a user group (an id without a type). */
function nameOf(type: UserEventRow['resourceType'], id: string | null) {
  if (id === null) return {}
  return type === null ? { groupId: id } : { resource: { type, id } }
}
