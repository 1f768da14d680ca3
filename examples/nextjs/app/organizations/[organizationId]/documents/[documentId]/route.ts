/** Two routes on documents: viewers may read, editors may also write. */
import { withAccess } from '../../../../../with-access.ts'

export const GET = withAccess('viewer', (_request, { documentId }) => Response.json({ read: documentId }))

export const PUT = withAccess('editor', (_request, { documentId }) => Response.json({ wrote: documentId }))
