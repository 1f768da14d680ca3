/** Finds the API keys of a workspace by name, and creates missing ones. */

import { MovingFailure } from '#moving/failure.ts'
import type { KeyRecord } from '#moving/import/import.ts'
import type { Client, WorkspaceClient } from '#sdk/client.ts'

type Connect = (apiKey: string, authToken: string) => Client

const ALL_SCOPES = ['read', 'write', 'admin'] as const
const EXPORT_SECONDS = 86_400

/** Returns a client for an API key that may do everything, for an import; the programs that use a new key get its token. */
export const clientForImport = (workspace: WorkspaceClient, connect: Connect, apiKey: string): Promise<Client> =>
  clientWith(workspace, connect, { apiKey, scopes: ALL_SCOPES })

/** Returns a client for an API key that may read. An export leaves no token that can change anything, or that does not expire. */
export const clientForExport = (workspace: WorkspaceClient, connect: Connect, apiKey: string): Promise<Client> =>
  clientWith(workspace, connect, { apiKey, scopes: ['read'], seconds: EXPORT_SECONDS })

interface Wanted {
  apiKey: string
  scopes: readonly (typeof ALL_SCOPES)[number][]
  seconds?: number
}

/** Uses an auth token that has the scopes, for at least half of the time of a new one; creates one if there is none. */
async function clientWith(workspace: WorkspaceClient, connect: Connect, wanted: Wanted): Promise<Client> {
  const { apiKey, scopes, seconds } = wanted
  const { authTokens } = await workspace.authTokens.get({ apiKey })
  // The token of yesterday's export may expire during the export of today.
  const until = Date.now() / 1_000 + (seconds ?? 0) / 2
  const usable = authTokens.find(
    (token) =>
      scopes.every((scope) => token.scopes.includes(scope)) &&
      (token.expiresAt === undefined || token.expiresAt > until),
  )
  if (usable !== undefined) return connect(apiKey, usable.token)
  const { authToken } = await workspace.authTokens.create({
    apiKey,
    name: 'Moving in and out',
    scopes,
    ...(seconds === undefined ? {} : { expiresAt: Math.ceil(Date.now() / 1_000) + seconds }),
  })
  return connect(apiKey, authToken.token)
}

/** Returns the API key for a section of the file: the one with its name, or a new one. */
export async function keyFor(workspace: WorkspaceClient, { apiKeyName, type }: KeyRecord): Promise<string> {
  for await (const { data } of workspace.apiKeys.get.pages()) {
    const found = data.find((key) => key.apiKeyName === apiKeyName)
    if (found === undefined) continue
    if (found.type === type && !found.disabled) return found.id
    throw new MovingFailure(
      `The workspace has an API key “${apiKeyName}” that is ${found.disabled ? 'disabled' : found.type}.`,
      found.disabled ? 'Enable it first.' : `Rename it: the file has a ${type} key of that name.`,
    )
  }
  const { owner } = await workspace.workspaces.get()
  const { apiKey } = await workspace.apiKeys.create({
    apiKeyName,
    type,
    ownerEmail: owner.email,
    ...(type === 'production' ? { customPlanInfo: true } : {}),
  })
  return apiKey
}
