/** Calls a route handler on a document only if the signed-in user has access to the document. */
import { type Client, CommonholdError, createClient } from '@commonhold/client'
import { userOf } from './session.ts'

let client: Client | undefined
/** Created with the first request: `next build` loads this file without the settings. */
export function commonhold(): Client {
  const { COMMONHOLD_URL = '', COMMONHOLD_API_KEY = '', COMMONHOLD_AUTH_TOKEN = '' } = process.env
  const settings = { url: COMMONHOLD_URL, apiKey: COMMONHOLD_API_KEY, authToken: COMMONHOLD_AUTH_TOKEN }
  client ??= createClient({ ...settings, timeoutMs: 2_000 })
  return client
}

type Role = 'viewer' | 'editor'
type DocumentPath = { organizationId: string; documentId: string }
type Handler = (request: Request, path: DocumentPath) => Response | Promise<Response>

export const withAccess =
  (atLeast: Role, handler: Handler) =>
  async (request: Request, { params }: { params: Promise<DocumentPath> }): Promise<Response> => {
    const path = await params
    const status = await statusFor(userOf(request), path, atLeast)
    return status === 200 ? handler(request, path) : new Response(null, { status })
  }

async function statusFor(userId: string | undefined, path: DocumentPath, atLeast: Role): Promise<number> {
  if (userId === undefined) return 401
  const resource = { type: 'document', id: path.documentId, organizationId: path.organizationId } as const
  try {
    const { allowed } = await commonhold().check({ userId, resource, atLeast })
    return allowed ? 200 : 403
  } catch (error) {
    if (error instanceof CommonholdError && error.reason === 'invalid_argument') return 400 // no document has such an id
    console.error(error)
    return 503 // nobody knows whether the user has access: neither a pass nor a denial
  }
}
