/** The API keys of a workspace that is moved: those that are there by their names, the others made. */
import type { Client, WorkspaceClient } from '#sdk/client.ts'
import { MovingFailure } from './failure.ts'
import type { OneKey } from './import.ts'

/** A client for an API key of the workspace, with one of its auth tokens; it gets one if it has none. */
export type Connect = (apiKey: string, authToken: string) => Client

export async function clientOfKey(workspace: WorkspaceClient, connect: Connect, apiKey: string): Promise<Client> {
  const { authTokens } = await workspace.authTokens.get({ apiKey })
  const usable = authTokens.find(({ scopes }) =>
    ['read', 'write', 'admin'].every((scope) => scopes.includes(scope as 'read')),
  )
  if (usable !== undefined) return connect(apiKey, usable.token)
  const { authToken } = await workspace.authTokens.create({ apiKey, name: 'Moving in and out' })
  return connect(apiKey, authToken.token)
}

/** The API key that a section of the file is for: the one of that name, or a new one. */
export async function keyFor(workspace: WorkspaceClient, { apiKeyName, type }: OneKey): Promise<string> {
  for await (const { data } of workspace.apiKeys.get.pages()) {
    const found = data.find((key) => key.apiKeyName === apiKeyName)
    if (found === undefined) continue
    if (found.type === type && !found.disabled) return found.id
    throw new MovingFailure(
      `The workspace has an API key “${apiKeyName}” that is ${found.disabled ? 'disabled' : found.type}.`,
      found.disabled ? 'Enable it first.' : `Rename it: the file has one of that name that is ${type}.`,
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
