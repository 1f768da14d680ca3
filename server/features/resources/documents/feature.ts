/** Documents. */
import {
  addDocuments,
  countDocuments,
  deleteDocuments,
  disableDocuments,
  getDocuments,
  moveDocuments,
  setDocumentAccess,
  updateDocuments,
} from '#contract/resources/documents.ts'
import type { CreateFeature } from '#kernel'
import { createDocuments } from './operations.ts'

export const documents: CreateFeature = (kernel) => {
  const documents = createDocuments(kernel)
  return {
    routes(routes) {
      routes.withApiKey(addDocuments, (caller, data) => documents.add(caller, data))
      routes.withApiKey(getDocuments, async (caller, data) => {
        const page = await documents.get(caller, data)
        return { ...page, pageToken: page.nextPageToken }
      })
      routes.withApiKey(countDocuments, async (caller, data) => ({ data: await documents.count(caller, data) }))
      routes.withApiKey(updateDocuments, async (caller, data) => ({ data: await documents.update(caller, data) }))
      routes.withApiKey(moveDocuments, (caller, data) => documents.move(caller, data))
      routes.withApiKey(setDocumentAccess, (caller, data) => documents.setAccess(caller, data))
      routes.withApiKey(disableDocuments, (caller, data) => documents.disable(caller, data))
      routes.withApiKey(deleteDocuments, async (caller, data) => ({ data: await documents.delete(caller, data) }))
    },
    coalescers: documents.coalescers,
  }
}
