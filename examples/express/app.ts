/** Two routes on documents: viewers may read, editors may also write. */
import express from 'express'
import { requireAccess } from './require-access.ts'

const DOCUMENT = '/organizations/:organizationId/documents/:documentId'
export const app = express()

app.get(DOCUMENT, requireAccess('viewer'), (request, response) => {
  response.json({ read: request.params.documentId })
})

app.put(DOCUMENT, requireAccess('editor'), (request, response) => {
  response.json({ wrote: request.params.documentId })
})
