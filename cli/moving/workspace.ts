/** Finds the API keys of a workspace by name, and creates missing ones. */

import { MovingFailure } from '#moving/failure.ts'
import type { KeyRecord } from '#moving/import/import.ts'
import type { Client, WorkspaceClient } from '#sdk/client.ts'

type Connect = (apiKey: string, authToken: string) => Client

/** Returns a client for an API key, with an auth token that has all scopes; creates one if there is none. */
export async function clientOfKey(workspace: WorkspaceClient, connect: Connect, apiKey: string): Promise<Client> {
  const { authTokens } = await workspace.authTokens.get({ apiKey })
  const usable = authTokens.find(({ scopes }) =>
    ['read', 'write', 'admin'].every((scope) => scopes.includes(scope as 'read')),
  )
  if (usable !== undefined) return connect(apiKey, usable.token)
  const { authToken } = await workspace.authTokens.create({ apiKey, name: 'Moving in and out' })
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
