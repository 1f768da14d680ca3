/**
 * A stand-in for a hosted service with the same contract: serves the sample in `test/fixtures/hosted-service`, with its
 * behaviour where it differs from Commonhold's.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { ROOT } from '../../scripts/root.ts'
import { cleanUp } from '../clean-up.ts'

const SAMPLE = path.join(ROOT, 'test/fixtures/hosted-service')
export const HOSTED_KEY = 'key_sample'
export const HOSTED_TOKEN = 'token_sample'

// biome-ignore lint/suspicious/noExplicitAny: bodies as callers send them, and responses as the files have them
type Json = any

interface Exchange {
  request: Record<string, unknown>
  response: Json
}

/** Returns the exchanges of every operation by its path, such as `organizations/get`. */
const sample = (): Map<string, Exchange[]> =>
  new Map(
    readdirSync(SAMPLE)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [
        file.replace(/\.json$/, '').replaceAll('.', '/'),
        JSON.parse(readFileSync(path.join(SAMPLE, file), 'utf8')),
      ]),
  )

const WHERE = ['organizationId', 'folderId', 'documentId', 'userId']
const EMPTY = { result: { status: 'success', message: 'Done.', data: [] } }
const DENIED = { error: 'The user has no access to this resource.', errorCode: 'permission_denied' }

export interface HostedBehaviour {
  /** False: the key never switched on signed webhooks, so calls about their endpoints are refused. */
  hasSignedWebhooks?: boolean
}

/** Starts it on a free port; it stops after the test or the file. */
export async function startHostedService({
  hasSignedWebhooks = true,
}: HostedBehaviour = {}): Promise<{ url: string; calls: string[] }> {
  const exchanges = sample()
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const operation = (request.url ?? '').replace(/^\/v2\/|\?.*$/g, '')
    calls.push(operation)
    const data = ((await json(request).catch(() => ({}))) as Json).data ?? {}
    const isOff = !hasSignedWebhooks && operation.startsWith('workspace/advancedwebhook/')
    const answer = isKnown(request) ? (isOff ? OFF : answerTo(exchanges, operation, data)) : UNKNOWN_CALLER
    const status = answer.error === undefined ? 200 : (STATUS[answer.error.status] ?? 400)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

const STATUS: Record<string, number> = { INTERNAL: 500, PERMISSION_DENIED: 403, NOT_FOUND: 404 }
const OFF = { error: { message: 'Advanced webhooks are disabled.', status: 'FAILED_PRECONDITION' } }
const UNKNOWN_CALLER = { error: { message: 'The API key is not valid.', status: 'PERMISSION_DENIED' } }

const isKnown = ({ headers }: IncomingMessage): boolean =>
  headers['x-acme-api-key'] === HOSTED_KEY && headers['x-acme-auth-token'] === HOSTED_TOKEN

function answerTo(exchanges: Map<string, Exchange[]>, operation: string, data: Json): Json {
  const found = exchanges
    .get(operation)
    ?.find(({ request }) => WHERE.every((field) => request[field] === data[field] || isOptional(operation, field)))
  if (operation === 'auth/permissions/get') return permissionsOf(found?.response, data)
  if (operation === 'auth/permissions/remove') return removePermissions(exchanges, data)
  if (operation === 'organizations/documents/update') return updateDocuments(exchanges, data)
  return found?.response ?? EMPTY
}

/** The sample has permissions by organization; a response contains only the requested ones. */
const isOptional = (operation: string, field: string): boolean =>
  operation === 'auth/permissions/get' && field !== 'organizationId'

function permissionsOf(response: Json, { organizationId, userIds = [], folderIds = [], documentIds = [] }: Json): Json {
  const { data = {}, ...rest } = response?.result ?? EMPTY.result
  const of = (all: Json, ids: string[]) => Object.fromEntries(ids.map((id) => [id, all?.[id] ?? DENIED]))
  const users = userIds.map((userId: string) => {
    const { organization, folders, documents } = data[userId] ?? {}
    return [
      userId,
      {
        organization: organization ?? { [organizationId]: DENIED },
        ...(folderIds.length > 0 && { folders: of(folders, folderIds) }),
        ...(documentIds.length > 0 && { documents: of(documents, documentIds) }),
      },
    ]
  })
  return { result: { ...rest, data: Object.fromEntries(users) } }
}

/** Removes only what tests need: access to documents. */
function removePermissions(exchanges: Map<string, Exchange[]>, { userId, permissions }: Json): Json {
  for (const { id, organizationId } of permissions.resources) {
    const known = exchanges
      .get('auth/permissions/get')
      ?.find(({ request }) => request.organizationId === organizationId)
    const { documents } = known?.response.result.data[userId] ?? {}
    if (documents?.[id] !== undefined) documents[id] = { ...DENIED, accessType: documents[id].accessType }
  }
  return { result: { status: 'success', message: 'Permissions removed successfully.', data: null } }
}

/** The hosted service fails a call if some of its documents fail, although it has changed the others. */
function updateDocuments(exchanges: Map<string, Exchange[]>, { organizationId, documents }: Json): Json {
  const known = exchanges
    .get('organizations/documents/get')
    ?.find(({ request }) => request.organizationId === organizationId)
  const ids: unknown[] = known?.response.result.data.map(({ id }: Json) => id) ?? []
  const results = documents.map(({ documentId: id }: Json) => [
    id,
    ids.includes(id)
      ? { success: true, id, message: 'Document updated successfully.' }
      : { success: false, id, message: 'The document does not exist.', code: 'not-found' },
  ])
  const details = Object.fromEntries(results)
  const isWhole = results.every(([, { success }]: Json) => success)
  if (isWhole) return { result: { status: 'success', message: 'Documents updated successfully.', data: details } }
  return { error: { message: 'Some documents could not be updated.', status: 'INTERNAL', details } }
}
