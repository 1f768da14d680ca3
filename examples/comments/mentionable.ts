/** Who can be mentioned: the people who can open a document, with their names. COPY THIS FILE. */
import type { Client } from '@commonhold/client'

const OFFERED_MAX = 20

export interface Mentionable {
  userId: string
  name?: string
}

/** Returns members of the organization who can open the document and whose name, address or id contains the query. */
export async function mentionable(
  commonhold: Client,
  { organizationId, documentId }: { organizationId: string; documentId: string },
  query: string,
): Promise<Mentionable[]> {
  const users = await commonhold.users.get({
    organizationId,
    ...(query !== '' && { searchKey: query }),
    pageSize: OFFERED_MAX,
  })
  const resource = { type: 'document', id: documentId, organizationId } as const
  const decisions = await Promise.all(users.map(({ userId }) => commonhold.check({ userId, resource })))
  return users.filter((_, index) => decisions[index]?.allowed).map(({ userId, name }) => ({ userId, name }))
}
