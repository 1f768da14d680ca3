/** Creates a workspace, and what its owner and their application need of it. Nothing of this is kept. */
import { createPublicClient, createWorkspaceClient } from '#sdk/client.ts'
import type { CreateWorkspaceData } from '#sdk/generated/operations.ts'
import { HEADER_PREFIX } from '../page-data.ts'
import type { NewCredentials } from './copy-into-app.tsx'
import { type SignInFailure, signUpFailure } from './sign-in-failure.ts'

export interface NewWorkspace extends NewCredentials {
  /** The secret of a link that signs the owner in as a person; absent if it is sent by mail, or there is none. */
  link?: string
  /** Why there is no link. The workspace exists: its credentials are shown once, whatever becomes of the link. */
  linkFailure?: SignInFailure
}

export async function createWorkspace(data: CreateWorkspaceData, signupToken: string): Promise<NewWorkspace> {
  const server = { url: location.origin, headerPrefix: HEADER_PREFIX }
  const anybody = createPublicClient({ ...server, ...(signupToken === '' ? {} : { signupToken }) })
  const { id: workspaceId, authToken: workspaceToken, apiKeyList } = await anybody.workspaces.create(data)
  const workspace = createWorkspaceClient({ ...server, workspaceId, workspaceToken })
  const apiKey = Object.keys(apiKeyList)[0] ?? ''
  const [{ authTokens }, link] = await Promise.all([
    workspace.authTokens.get({ apiKey }),
    workspace.operators.invite({ email: data.ownerEmail, role: 'owner' }, { triesMax: 1 }).then(
      ({ link }) => (link === undefined ? {} : { link: new URL(link).hash.replace('#link=', '') }),
      (error: unknown) => ({ linkFailure: signUpFailure(error) }),
    ),
  ])
  const apiKeyToken = authTokens[0]?.token ?? ''
  return { url: location.origin, apiKey, apiKeyToken, workspaceId, workspaceToken, ...link }
}
