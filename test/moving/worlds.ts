/** Random data sets, created through the API, with everything that an export contains and that is difficult to order or to write. */
import type { Client } from '#sdk/index.ts'
import { drawDiscussions, switchOnDiscussions } from './discussions.ts'

/** Returns random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const WORDS = [
  'a',
  'B',
  'ä',
  'a b',
  '"q"',
  '\\',
  '{}',
  '😀',
  '\uffee',
  '1',
  '10',
  'null',
  '__proto__',
  'e\u0301',
  'z,z',
]
const TYPES = ['public', 'organizationPrivate', 'restricted'] as const

export interface WorldSize {
  organizations: number
  folders: number
  documents: number
  users: number
  grants: number
}

const SMALL: WorldSize = { organizations: 3, folders: 8, documents: 12, users: 8, grants: 25 }

/** A data set for tests that do not depend on the content. */
export const SMALLEST: WorldSize = { organizations: 1, folders: 3, documents: 4, users: 3, grants: 6 }

export async function fillRandomly(client: Client, seed: number, size: WorldSize = SMALL): Promise<void> {
  const random = randomFrom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const maybe = <Value>(value: () => Value, chance = 0.5) => (random() < chance ? value() : undefined)
  const oneOf = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
  const word = () => oneOf(WORDS)
  const ids = (count: number) => [
    ...new Set(Array.from({ length: count }, (_, index) => `${word()}${index % 7}${word()}`)),
  ]
  const field = <Name extends string, Value>(name: Name, value: Value | undefined) =>
    (value === undefined ? {} : { [name]: value }) as { [Field in Name]?: Value }
  const metadata = () =>
    Object.fromEntries(
      Array.from({ length: below(4) }, (_, index) => [`own ${word()} ${index}`, oneOf<unknown>([1.5, null, [word()], { b: 1, a: [{ d: 1, c: '\u2028' }] }, word(), true])]), // biome-ignore format: one field a line is no clearer
    )

  const roles = oneOf([
    ['viewer', 'editor'],
    ['viewer', 'commenter', 'editor'],
  ] as const)
  await client.keyConfig.update({
    defaultDocumentAccessType: oneOf(TYPES),
    accessRoles: [...roles],
    defaultAccessRole: oneOf(roles),
    expiringSoonSeconds: below(1_000),
  })
  await switchOnDiscussions(client, random() < 0.5)
  await client.domains.add({ domains: ['z.example.com', '*.a.example.com', 'localhost'] })
  const users = ids(size.users)
  const disabledUsers = users.filter(() => random() < 0.2)
  if (disabledUsers.length > 0) await client.users.disable({ userIds: disabledUsers, disabled: true })
  const profiled = users.filter(() => random() < 0.7)
  if (profiled.length > 0)
    await client.profiles.set({
      users: profiled.map((userId) => ({
        ...metadata(),
        userId,
        ...field('name', maybe(word)),
        ...field(
          'isAdmin',
          maybe(() => true),
        ),
      })),
    })
  const fillings: (() => Promise<void>)[] = [] // all random numbers are drawn before any call waits
  for (const organizationId of ids(size.organizations)) {
    const organization = { ...metadata(), organizationId, ...field('organizationName', maybe(word)) }
    const folderIds = ids(size.folders)
    const folders = folderIds.map((folderId, index) => ({
      folderId,
      ...field('parentFolderId', index === 0 ? undefined : maybe(() => oneOf(folderIds.slice(0, index)), 0.7)),
      ...field('folderName', maybe(word)),
      ...field(
        'accessType',
        maybe(() => oneOf(TYPES), 0.3),
      ),
    }))
    const documentIds = ids(size.documents)
    const documents = documentIds.map((documentId) => ({
      folderId: folderIds.length === 0 ? undefined : maybe(() => oneOf(folderIds), 0.7),
      document: {
        ...metadata(),
        documentId,
        ...field('documentName', maybe(word)),
        ...field(
          'accessType',
          maybe(() => oneOf(TYPES), 0.3),
        ),
      },
    }))
    const disabled = documentIds.filter(() => random() < 0.2)
    const ofResource = () => {
      const type = oneOf(['organization', 'folder', 'document'] as const)
      if (type === 'organization') return { type, id: organizationId }
      const known = type === 'folder' ? folderIds : documentIds
      return { type, id: maybe(() => oneOf(known), 0.8) ?? `declared ${below(5)}`, organizationId }
    }
    const grants = Array.from({ length: size.grants }, () => ({
      userId: oneOf(users),
      ...ofResource(),
      accessRole: oneOf(roles),
    })).flatMap((standing) => {
      const temporary = { ...standing, expiresAt: oneOf([1_000_000_000, 4_000_000_000]) }
      return oneOf([[standing], [standing], [temporary], [standing, temporary]])
    })
    const userGroups = ids(3).map((groupId) => ({ groupId, ...field('groupName', maybe(word)) }))
    const discuss = drawDiscussions(client, { organizationId, documentIds, users }, { below, oneOf, maybe, word })
    const isDisabled = random() < 0.3

    fillings.push(async () => {
      await client.organizations.add({ organizations: [organization] })
      if (folders.length > 0) await client.folders.add({ organizationId, folders: folders.toReversed() })
      for (const [folderId, placed] of Map.groupBy(documents, (one) => one.folderId))
        await client.documents.add({
          organizationId,
          ...field('folderId', folderId),
          documents: placed.map(({ document }) => document),
        })
      if (disabled.length > 0) await client.documents.disable({ organizationId, documentIds: disabled, disabled: true })
      if (grants.length > 0) await client.grants.add({ grants })
      await client.userGroups.add({ organizationId, organizationUserGroups: userGroups })
      for (const { groupId } of userGroups)
        await client.userGroupUsers.add({ organizationId, organizationUserGroupId: groupId, userIds: users })
      await discuss()
      if (isDisabled) await client.organizations.disable({ organizationIds: [organizationId], disabled: true })
    })
  }
  await Promise.all(fillings.map((fill) => fill()))
  if (random() < 0.5) await client.keyConfig.update({ requireKnownResources: true })
}
