/** Random worlds of comments as data: who has access to documents, who writes, and what changes until the inbox is read. */
import fc from 'fast-check'
import type { AccessType } from '#contract/access/permissions.ts'
import { ACCESS_TYPES } from '../matrix/worlds.ts'
import type { Channel, Level } from './interpreter.ts'

/** The number of users of each world. */
export const USERS = 3
type User = number

/** When grants expire, in Unix seconds. */
const EXPIRIES = [2_000_000_000, 2_000_000_100] as const
/** The inboxes are read at exactly the first expiry. */
export const READ_AT = EXPIRIES[0]

/** Picks items by number, modulo the number of items. */
type Pick = number

export interface GrantSpec {
  /** A user, or the group. */
  holder: User | 'group'
  target: 'organization' | 'other organization' | Pick
  /** Null for a standing grant. */
  expiresAt: number | null
}

export interface CommentSpec {
  author: User
  mentions: User[]
  notifies: boolean
}

type VisibilitySpec =
  | { type: 'public' }
  | { type: 'organizationPrivate'; own: boolean; other: boolean }
  | { type: 'restricted'; users: User[] }

export interface ThreadSpec {
  document: Pick
  visibility: VisibilitySpec
  hasContext: boolean
  comments: CommentSpec[]
}

export type Step =
  | ({ do: 'grant' } & GrantSpec)
  | { do: 'revoke'; user: User; target: GrantSpec['target'] }
  | { do: 'join group' | 'leave group' | 'disable user'; user: User }
  | { do: 'set access'; document: Pick; accessType: AccessType | null }
  | { do: 'disable document' | 'delete document'; document: Pick }
  | { do: 'delete other organization' }
  | ({ do: 'reply'; thread: Pick } & CommentSpec)
  | ({ do: 'start thread' } & ThreadSpec)
  | { do: 'subscribe' | 'unsubscribe'; user: User; thread: Pick }
  | { do: 'set level'; user: User; channels: Channel[]; level: Level; document: Pick | null }
  | { do: 'see'; user: User; thread: Pick; comment: Pick | null }
  | { do: 'set visibility'; thread: Pick; visibility: VisibilitySpec }
  | { do: 'assign'; user: User; thread: Pick }
  | { do: 'follow document' | 'mute document'; user: User; document: Pick }
  | { do: 'delete comment'; thread: Pick; comment: Pick }
  | { do: 'delete thread'; thread: Pick }
  | { do: 'read notification'; user: User; notification: Pick; persists: boolean }

export interface WorldSpec {
  defaultAccessType: AccessType
  documents: (AccessType | null)[]
  /** The users of the group, if they are members at that time; null if there is no group. */
  members: User[] | null
  grants: GrantSpec[]
  /** The users who are notified of everything by mail. */
  withAll: User[]
  threads: ThreadSpec[]
  steps: Step[]
}

const pick = fc.nat({ max: 30 })
const user = fc.nat({ max: USERS - 1 })
const someUsers = fc.noBias(fc.subarray(Array.from({ length: USERS }, (_, nth) => nth)))
const accessType = fc.option(fc.constantFrom(...ACCESS_TYPES), { freq: 3 })
const expiresAt = fc.option(fc.constantFrom(...EXPIRIES), { freq: 2 })

const target = fc.oneof(
  { weight: 3, arbitrary: pick },
  { weight: 2, arbitrary: fc.constantFrom('organization' as const, 'other organization' as const) },
)
const grant: fc.Arbitrary<GrantSpec> = fc.record({
  holder: fc.oneof({ weight: 4, arbitrary: user }, { weight: 1, arbitrary: fc.constant('group' as const) }),
  target,
  expiresAt,
})

const visibility: fc.Arbitrary<VisibilitySpec> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'public' as const }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom([true, false], [false, true], [true, true]).map(([own = true, other = true]) => ({
      type: 'organizationPrivate' as const,
      own,
      other,
    })),
  },
  {
    weight: 2,
    arbitrary: someUsers.map((users) => ({ type: 'restricted' as const, users: users.length === 0 ? [0] : users })),
  },
)

const comment: fc.Arbitrary<CommentSpec> = fc.record({
  author: user,
  mentions: fc.noBias(fc.uniqueArray(user, { maxLength: USERS - 1 })),
  notifies: fc.constantFrom(true, true, true, false),
})
const thread: fc.Arbitrary<ThreadSpec> = fc.record({
  document: pick,
  visibility,
  hasContext: fc.constantFrom(false, false, false, false, false, false, false, true),
  comments: fc.array(comment, { minLength: 1, maxLength: 2 }),
})

const is = <Name extends string>(name: Name) => fc.constant(name)
const step: fc.Arbitrary<Step> = fc.oneof(
  grant.map((spec) => ({ do: 'grant' as const, ...spec })),
  { weight: 2, arbitrary: fc.record({ do: is('revoke'), user, target }) },
  fc.record({ do: fc.constantFrom('join group' as const, 'leave group' as const), user }),
  fc.record({ do: is('disable user'), user }),
  fc.record({ do: is('set access'), document: pick, accessType }),
  fc.record({ do: fc.constantFrom('disable document' as const, 'delete document' as const), document: pick }),
  fc.record({ do: is('delete other organization') }),
  {
    weight: 4,
    arbitrary: fc.tuple(pick, comment).map(([to, spec]) => ({ do: 'reply' as const, thread: to, ...spec })),
  },
  thread.map((spec) => ({ do: 'start thread' as const, ...spec })),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('subscribe', 'unsubscribe', 'unsubscribe'), user, thread: pick }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('set level'),
      user,
      channels: fc.constantFrom<Channel[]>(['inbox'], ['inbox', 'email']),
      level: fc.constantFrom<Level>('ALL', 'MINE', 'NONE'),
      document: fc.option(pick, { freq: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: is('see'), user, thread: pick, comment: fc.option(pick, { freq: 4 }) }) },
  fc.record({ do: is('set visibility'), thread: pick, visibility }),
  fc.record({ do: is('assign'), user, thread: pick }),
  fc.record({ do: fc.constantFrom('follow document' as const, 'mute document' as const), user, document: pick }),
  fc.record({ do: is('delete comment'), thread: pick, comment: pick }),
  fc.record({ do: is('delete thread'), thread: pick }),
  fc.record({ do: is('read notification'), user, notification: pick, persists: fc.boolean() }),
)

/** Makes most users members of the organization, some of them until the first expiry. */
const admissions = fc
  .tuple(someUsers, expiresAt)
  .map(([users, until]) => users.map((holder): GrantSpec => ({ holder, target: 'organization', expiresAt: until })))

export const world: fc.Arbitrary<WorldSpec> = fc
  .record({
    defaultAccessType: fc.constantFrom(...ACCESS_TYPES),
    documents: fc.array(accessType, { minLength: 1, maxLength: 2 }),
    members: fc.option(someUsers, { freq: 2 }),
    admitted: fc.array(admissions, { minLength: 1, maxLength: 2 }),
    grants: fc.array(grant, { minLength: 2, maxLength: 7 }),
    withAll: fc.oneof(fc.constant<User[]>([]), someUsers),
    threads: fc.array(thread, { minLength: 1, maxLength: 2 }),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  })
  .map(({ admitted, grants, ...spec }) => ({ ...spec, grants: [...admitted.flat(), ...grants] }))
