/** A small sample company: users with grants, a restricted folder inside a folder, and a document. */
import assert from 'node:assert/strict'
import { addGrants, type GrantInput, type ListedGrant, listGrants } from '#contract/access/grants.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import type { TestServer } from '#testing/server.ts'
import { newWorkspace, type Somebody } from './sign-in.ts'

export const organizationId = 'acme'

/** Unix seconds, in the year 2033. */
export const LATER = 2_000_000_000

export interface Company extends Somebody {
  /** Adds grants in the organization. */
  grant(...grants: Omit<GrantInput, 'organizationId'>[]): Promise<void>
  grants(): Promise<ListedGrant[]>
  documents(folderId: string, ...documents: { documentId: string; documentName?: string }[]): Promise<void>
}

/**
 * `acme` › `work` › `plans`, which is restricted, › `roadmap`. Ada and Bob are members, Bob edits `plans` until 2033, and
 * Cem, whose only grant is on `roadmap`, views it.
 */
export async function newCompany(server: TestServer): Promise<Company> {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(addOrganizations, { organizations: [{ organizationId, organizationName: 'Acme' }] })
  const folders = [
    { folderId: 'work', folderName: 'Work' },
    { folderId: 'plans', folderName: 'Plans', parentFolderId: 'work', accessType: 'restricted' as const },
  ]
  assert.ok(Object.values(await client.call(addFolders, { organizationId, folders })).every(({ success }) => success))
  const company: Company = {
    ...somebody,
    async grant(...grants) {
      const inside = (grant: Omit<GrantInput, 'organizationId'>) =>
        grant.type === 'organization' ? grant : { ...grant, organizationId }
      await client.call(addGrants, { grants: grants.map(inside) })
    },
    grants: async () => (await client.call(listGrants, { organizationId })).grants,
    async documents(folderId, ...documents) {
      const added = await client.call(addDocuments, { organizationId, folderId, documents })
      assert.ok(Object.values(added).every(({ success }) => success))
    },
  }
  await company.documents('plans', { documentId: 'roadmap', documentName: 'Road map' })
  const users = [
    { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', accessRole: 'viewer' as const },
    { userId: 'bob', name: 'Bob Stone', accessRole: 'viewer' as const },
  ]
  await client.call(addUsers, { organizationId, users })
  await company.grant(
    { userId: 'bob', type: 'folder', id: 'plans', accessRole: 'editor', expiresAt: LATER },
    { userId: 'cem', type: 'document', id: 'roadmap', accessRole: 'viewer' },
  )
  return company
}

/** Ids that a page must show verbatim. */
export const HOSTILE_IDS = [
  `"'><img src=x onerror="document.title='run'">`,
  '\u202Eder ,thgir\u202C to left',
  '{"a":1}',
  '1e3',
  '..',
  'a/b?c=d&e#f%2F',
  'x'.repeat(256),
]

/** Formats an id as in a link written by hand; text that looks like JSON is quoted, as in links of the console. */
export const written = (id: string): string => (/^["[{]/.test(id) ? JSON.stringify(id) : id)

export const address = (view: string, search: Record<string, string>): string =>
  `${view}?${new URLSearchParams(search)}`
