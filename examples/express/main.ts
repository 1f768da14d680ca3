/** An app with two routes on documents: viewers may read, editors may also write. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import { requireAccess } from './require-access.ts'

const DOCUMENT = '/organizations/:organizationId/documents/:documentId'
const app = express()

app.get(DOCUMENT, requireAccess('viewer'), (request, response) => {
  response.json({ read: request.params.documentId })
})

app.put(DOCUMENT, requireAccess('editor'), (request, response) => {
  response.json({ wrote: request.params.documentId })
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
