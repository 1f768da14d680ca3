/** Commonhold in the comparison with other systems. */
import { listPermittedResources } from '#contract/access/access-lists.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { DataOf, Operation } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { createClient } from '#testing/client.ts'
import { startProcess } from '../support/server.ts'
import { type Call, inParts, type System } from './system.ts'
import { organizationName, type Question, userName } from './world.ts'

const call = <Called extends Operation>({ path }: Called, data: DataOf<Called>): Call => ({
  path,
  body: JSON.stringify({ data }),
})

const folderId = (folder: number): string => `folder-${folder}`
const documentId = (document: number): string => `document-${document}`
const resourceOf = ({ organization, document }: Omit<Question, 'user'>) => ({
  type: 'document' as const,
  id: documentId(document),
  organizationId: organizationName(organization),
})
const checkOf = ({ user, ...question }: Question) => ({
  userId: userName(question.organization, user),
  resource: resourceOf(question),
})

const dataOf = (text: string) => JSON.parse(text).result.data

export async function startCommonhold(settings: Record<string, string>): Promise<System> {
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  return {
    name: 'Commonhold',
    settings: 'defaults; answers from the latest state, and looks up the credentials of each call',
    server,
    headers: key.headers,
    load(world, organization) {
      const organizationId = organizationName(organization)
      const folders = world.folders().map(({ folder, parent }) => ({
        folderId: folderId(folder),
        ...(parent === undefined ? {} : { parentFolderId: folderId(parent) }),
      }))
      const byFolder = Map.groupBy(world.documents(), ({ folder }) => folder)
      const grants = world.grants().map(({ user, type, nth, role }) => ({
        userId: userName(organization, user),
        type,
        id: type === 'folder' ? folderId(nth) : documentId(nth),
        organizationId,
        accessRole: role,
      }))
      return [
        call(addFolders, { organizationId, createOrganization: true, folders }),
        ...[...byFolder].map(([folder, documents]) =>
          call(addDocuments, {
            organizationId,
            folderId: folderId(folder),
            documents: documents.map(({ document, isRestricted }) => ({
              documentId: documentId(document),
              ...(isRestricted ? { accessType: 'restricted' as const } : {}),
            })),
          }),
        ),
        ...inParts(grants).map((part) => call(addGrants, { grants: part })),
      ]
    },
    check: (question) => call(checkPermissions, { checks: [checkOf(question)] }),
    checks: (questions) => call(checkPermissions, { checks: questions.map(checkOf) }),
    list: ({ organization, user }) =>
      call(listPermittedResources, {
        organizationId: organizationName(organization),
        userId: userName(organization, user),
        types: ['document'],
      }),
    grant: (userId, documents) =>
      call(addPermissions, {
        user: { userId },
        permissions: { resources: documents.map((named) => ({ ...resourceOf(named), accessRole: 'viewer' as const })) },
      }),
    isAllowed: (text) => dataOf(text).checks[0].allowed,
    areAllowed: (text) => dataOf(text).checks.map(({ allowed }: { allowed: boolean }) => allowed),
    listed: (text) => dataOf(text).resources.length,
  }
}
