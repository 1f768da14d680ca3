/** Fills an API key with the company before anything goes wrong: structure, people, groups and grants. */
import type { AddGrantsData, Client } from '#sdk/index.ts'
import { type Document, ORGANIZATIONS } from './company.ts'
import { DEPARTMENTS, GUESTS, MEMBERS, memberAt, slug } from './people.ts'

type Grants = AddGrantsData['grants'][number][]

/** Returns the time, in seconds, a number of days from now; negative numbers are in the past. */
export const inDays = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400

/**
 * Sets the clock of the server to a number of days from now. The clock of a running server cannot be set: there
 * everything happens today.
 */
export type GoTo = (days: number) => Promise<void>

/** Throws if any item of a batch failed. */
export function expectAll(results: Record<string, { success: boolean; message: string }>): void {
  for (const [id, { success, message }] of Object.entries(results)) if (!success) throw new Error(`${id}: ${message}`)
}

export async function addStructure(client: Client): Promise<void> {
  expectAll(
    await client.organizations.add({
      organizations: ORGANIZATIONS.map(({ id, name, industry }) => ({
        organizationId: id,
        organizationName: name,
        industry,
      })),
    }),
  )
  await Promise.all(
    ORGANIZATIONS.map(async ({ id: organizationId, folders, documents }) => {
      expectAll(
        await client.folders.add({
          organizationId,
          folders: folders.map(({ id, name, parentId, accessType }) => ({
            folderId: id,
            folderName: name,
            parentFolderId: parentId,
            accessType,
          })),
        }),
      )
      for (const [folderId, inside] of Map.groupBy(documents, (document) => document.folderId))
        expectAll(await client.documents.add({ organizationId, folderId, documents: inside.map(documentInput) }))
    }),
  )
}

const documentInput = ({ id, name, kind, accessType }: Document) => ({
  documentId: id,
  documentName: name,
  kind,
  accessType,
})

export async function addPeople(client: Client): Promise<void> {
  for (const { id: organizationId } of ORGANIZATIONS) {
    const members = MEMBERS.filter(({ department }) => department.organizationId === organizationId)
    expectAll(
      await client.users.add({
        organizationId,
        users: members.map(({ userId, name, email, department, place }) => ({
          userId,
          name,
          email,
          type: 'employee',
          color: department.color,
          department: department.name,
          title: place === 0 ? `Head of ${department.name}` : undefined,
          accessRole: ['Management', 'Business'].includes(department.name) ? 'editor' : 'viewer',
        })),
      }),
    )
  }
  expectAll(
    await client.profiles.set({
      users: GUESTS.map(({ userId, name, email, reason }) => ({
        userId,
        name,
        email,
        type: 'guest',
        isGuest: true,
        reason,
      })),
    }),
  )
}

/** Adds a group for each department, and two groups with members of several departments. */
export async function addGroups(client: Client): Promise<void> {
  const ofDepartments = DEPARTMENTS.map(({ organizationId, name }) => ({
    organizationId,
    name,
    userIds: MEMBERS.filter(({ department }) => department.name === name).map(({ userId }) => userId),
  }))
  const places = (place: number, ...departments: string[]) => departments.map((name) => memberAt(name, place).userId)
  const groups = [
    ...ofDepartments,
    {
      organizationId: 'larkspur',
      name: 'Works council',
      userIds: places(3, 'People', 'Product', 'Marketing', 'Sales', 'Support'),
    },
    {
      organizationId: 'larkspur',
      name: 'Spring launch team',
      userIds: places(1, 'Product', 'Marketing', 'Sales', 'Finance'),
    },
  ]
  for (const [organizationId, inside] of Map.groupBy(groups, (group) => group.organizationId))
    expectAll(
      await client.userGroups.add({
        organizationId,
        organizationUserGroups: inside.map(({ name }) => ({ groupId: slug(name), groupName: name })),
      }),
    )
  for (const { organizationId, name, userIds } of groups)
    expectAll(await client.userGroupUsers.add({ organizationId, organizationUserGroupId: slug(name), userIds }))
}

/** Invites people who have not accepted yet; one has been withdrawn. */
export async function addInvitations(client: Client): Promise<void> {
  const { userId, name } = memberAt('People', 0)
  const to = { organizationId: 'larkspur', type: 'org_user', invitedBy: { userId, name } } as const
  await client.invitations.add({ ...to, email: 'welder@example.com', accessRole: 'viewer' })
  await client.invitations.add({ ...to, email: 'controller@example.com', accessRole: 'viewer' })
  const folder = { ...to, type: 'folder_user', folderId: 'product', folderName: 'Product' } as const
  await client.invitations.add({ ...folder, email: 'designer@example.com', accessRole: 'editor' })
  const { organizationId, type } = to
  await client.invitations.respond({ organizationId, type, email: 'controller@example.com', status: 'WITHDRAWN' })
}

export async function addGrants(client: Client): Promise<void> {
  await client.grants.add({
    grants: [...onFolders(), ...onDocuments(), ...acrossOrganizations(), ...temporary(), ...ofGuests()],
  })
}

/** The lead of a department edits all its folders. Of the others, one in four edits the first folder, the rest view it. */
const onFolders = (): Grants =>
  MEMBERS.flatMap(({ userId, place, department: { organizationId, folderIds } }) =>
    folderIds.slice(0, place === 0 ? folderIds.length : 1).map((id) => ({
      userId,
      type: 'folder' as const,
      id,
      organizationId,
      accessRole: place % 4 === 0 ? ('editor' as const) : ('viewer' as const),
    })),
  )

/** One shared document for each member. */
const onDocuments = (): Grants =>
  MEMBERS.flatMap(({ userId, department: { organizationId } }, index) => {
    const documents = ORGANIZATIONS.find(({ id }) => id === organizationId)?.documents ?? []
    const { id } = documents[(index * 37 + 5) % documents.length] ?? { id: '' }
    return { userId, type: 'document', id, organizationId, accessRole: index % 3 === 0 ? 'editor' : 'viewer' }
  })

const acrossOrganizations = (): Grants => [
  { userId: memberAt('Management', 0).userId, type: 'organization', id: 'trailhead', accessRole: 'editor' },
  { userId: memberAt('Management', 1).userId, type: 'organization', id: 'trailhead', accessRole: 'viewer' },
  { userId: memberAt('Sales', 0).userId, type: 'organization', id: 'harbor-city', accessRole: 'viewer' },
  ...[4, 5, 6].map((place) => ({
    userId: memberAt('Product', place).userId,
    type: 'folder' as const,
    id: 'research',
    organizationId: 'trailhead',
    accessRole: 'viewer' as const,
  })),
]

/** Grants with expiry for members who stand in for others. */
const temporary = (): Grants =>
  [
    { member: memberAt('Product', 8), id: 'finance-budgets', days: 14 },
    { member: memberAt('Marketing', 6), id: 'sales', days: 3 },
    { member: memberAt('Sales', 7), id: 'people-hiring', days: 30 },
    { member: memberAt('Support', 4), id: 'sales-dealers', days: -3 },
  ].map(({ member, id, days }) => ({
    userId: member.userId,
    type: 'folder',
    id,
    organizationId: 'larkspur',
    accessRole: 'editor',
    expiresAt: inDays(days),
  }))

const ofGuests = (): Grants =>
  GUESTS.map(({ userId, grant, expiresInDays }) => ({
    userId,
    ...grant,
    ...(expiresInDays === undefined ? {} : { expiresAt: inDays(expiresInDays) }),
  }))
