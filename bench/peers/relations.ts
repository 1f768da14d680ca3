/** The world as relations, for systems with a model of their own: a restricted document has no parent, so nothing is inherited. */
import { organizationName, type PeersWorld, type Question, userName } from './world.ts'

export interface Relation {
  object: { type: 'organization' | 'folder' | 'document'; id: string }
  relation: 'parent' | 'viewer' | 'editor'
  subject: { type: 'user' | 'organization' | 'folder'; id: string }
}

/** Ids are unique in the whole store, because organizations are objects like others. */
const folderId = (organization: number, folder: number): string => `${organizationName(organization)}/folder-${folder}`
export const documentId = ({ organization, document }: Omit<Question, 'user'>): string =>
  `${organizationName(organization)}/document-${document}`

export function relationsOf(world: PeersWorld, organization: number): Relation[] {
  const folders = world.folders().map(
    ({ folder, parent }): Relation => ({
      object: { type: 'folder', id: folderId(organization, folder) },
      relation: 'parent',
      subject:
        parent === undefined
          ? { type: 'organization', id: organizationName(organization) }
          : { type: 'folder', id: folderId(organization, parent) },
    }),
  )
  const documents = world.documents().flatMap(({ document, folder, isRestricted }): Relation[] =>
    isRestricted
      ? []
      : [
          {
            object: { type: 'document', id: documentId({ organization, document }) },
            relation: 'parent',
            subject: { type: 'folder', id: folderId(organization, folder) },
          },
        ],
  )
  const grants = world.grants().map(
    ({ user, type, nth, role }): Relation => ({
      object: {
        type,
        id: type === 'folder' ? folderId(organization, nth) : documentId({ organization, document: nth }),
      },
      relation: role,
      subject: { type: 'user', id: userName(organization, user) },
    }),
  )
  return [...folders, ...documents, ...grants]
}

export const viewerOf = (user: string, document: Omit<Question, 'user'>): Relation => ({
  object: { type: 'document', id: documentId(document) },
  relation: 'viewer',
  subject: { type: 'user', id: user },
})
