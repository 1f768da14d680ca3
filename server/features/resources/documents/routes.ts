/** Operations of documents as records, each to its function. */
import { addDocuments, getDocuments } from '#contract/documents.ts'
import type { Routes } from '#http/route.ts'
import type { Documents } from './operations.ts'

export function documentRoutes(routes: Routes, documents: Documents): void {
  routes.withApiKey(addDocuments, async (caller, data) => ({ data: await documents.add(caller, data) }))
  routes.withApiKey(getDocuments, async (caller, data) => {
    const page = await documents.get(caller, data)
    return { ...page, pageToken: page.nextPageToken }
  })
}
