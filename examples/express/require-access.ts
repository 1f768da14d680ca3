/** Lets a request on a document pass only if the signed-in user has access to the document. */
import { CommonholdError, createClient } from '@commonhold/client'
import type { RequestHandler } from 'express'
import { userOf } from './session.ts'

const { COMMONHOLD_URL = '', COMMONHOLD_API_KEY = '', COMMONHOLD_AUTH_TOKEN = '' } = process.env
const settings = { url: COMMONHOLD_URL, apiKey: COMMONHOLD_API_KEY, authToken: COMMONHOLD_AUTH_TOKEN }
const commonhold = createClient({ ...settings, timeoutMs: 2_000 })

type Role = 'viewer' | 'editor'
type DocumentPath = { organizationId: string; documentId: string }

export const requireAccess =
  (atLeast: Role): RequestHandler<DocumentPath> =>
  async (request, response, next) => {
    const status = await statusFor(userOf(request), request.params, atLeast)
    if (status === 200) next()
    else response.sendStatus(status)
  }

async function statusFor(userId: string | undefined, path: DocumentPath, atLeast: Role): Promise<number> {
  if (userId === undefined) return 401
  const resource = { type: 'document', id: path.documentId, organizationId: path.organizationId } as const
  try {
    const { allowed } = await commonhold.check({ userId, resource, atLeast })
    return allowed ? 200 : 403
  } catch (error) {
    if (error instanceof CommonholdError && error.reason === 'invalid_argument') return 400 // no document has such an id
    console.error(error)
    return 503 // nobody knows whether the user has access: neither a pass nor a denial
  }
}
