/** Creates a workspace, and what its owner and their application need of it. Nothing of this is kept. */
import { createPublicClient, createWorkspaceClient } from '#sdk/client.ts'
import type { CreateWorkspaceData } from '#sdk/generated/operations.ts'
import { HEADER_PREFIX } from '../page-data.ts'
import type { NewCredentials } from './copy-into-app.tsx'

export interface NewWorkspace extends NewCredentials {
  /** The secret of a link that signs the owner in as a person; absent if it was sent by mail. */
  link?: string
}

export async function createWorkspace(data: CreateWorkspaceData, signupToken: string): Promise<NewWorkspace> {
  const server = { url: location.origin, headerPrefix: HEADER_PREFIX }
  const anybody = createPublicClient({ ...server, ...(signupToken === '' ? {} : { signupToken }) })
  const { id: workspaceId, authToken: workspaceToken, apiKeyList } = await anybody.workspaces.create(data)
  const workspace = createWorkspaceClient({ ...server, workspaceId, workspaceToken })
  const apiKey = Object.keys(apiKeyList)[0] ?? ''
  const [{ authTokens }, { link }] = await Promise.all([
    workspace.authTokens.get({ apiKey }),
    workspace.operators.invite({ email: data.ownerEmail, role: 'owner' }),
  ])
  return {
    ...{ url: location.origin, apiKey, apiKeyToken: authTokens[0]?.token ?? '', workspaceId, workspaceToken },
    ...(link !== undefined && { link: new URL(link).hash.replace('#link=', '') }),
  }
}
