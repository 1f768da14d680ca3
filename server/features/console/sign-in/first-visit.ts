/**
 * The first visit on one's own machine: the link that the server prints when it starts opens the console, creates the first workspace
 * and signs in its owner, once (rules/operators.md#the-first-visit).
 */
import { timingSafeEqual } from 'node:crypto'
import os from 'node:os'
import type { AccessType } from '#contract/access/permissions.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { findOperatorByEmail } from '#features/operators/shared.ts'
import { createWorkspaces } from '#features/workspaces/shared.ts'
import type { Kernel } from '#kernel'
import { tokenHash } from '#platform/secrets/tokens.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { OperatorSessions } from '../sessions/operator-sessions.ts'
import type { Origin, StartedSession } from '../sessions/sessions.ts'

/** The address of an owner who gives none. No mail server has it (RFC 2606). */
const NO_ADDRESS = 'owner@this-machine.invalid'

export interface FirstWorkspace {
  workspaceName: string
  /** For links to sign in; an owner on their own machine may need none. */
  email?: string | undefined
  /** The access type of documents and folders of the first key that have none of their own. */
  defaultDocumentAccessType?: AccessType
}

export interface CreatedFirst {
  session: StartedSession
  /** The credentials that the owner and their application need. */
  workspace: { workspaceId: string; workspaceToken: string; apiKey: string }
}

export type FirstVisit = ReturnType<typeof createFirstVisit>

export function createFirstVisit(
  { firstVisitToken, use }: Pick<Kernel, 'firstVisitToken' | 'use'>,
  sessions: Pick<OperatorSessions, 'startIn'>,
) {
  const workspaces = use(createWorkspaces)

  const isToken = (given: string): boolean =>
    firstVisitToken !== undefined && timingSafeEqual(tokenHash(given), tokenHash(firstVisitToken))

  return {
    /** Refuses every token except the token of the link, and every token once a workspace exists. */
    async check(token: string): Promise<void> {
      if (!isToken(token) || (await workspaces.hasAny())) throw credentialsInvalid()
    },

    /** Creates the workspace and the session in one transaction. Of several calls with the link, one is not refused. */
    async create(token: string, { email = NO_ADDRESS, ...given }: FirstWorkspace, origin: Origin) {
      if (!isToken(token)) throw credentialsInvalid()
      const { address } = origin
      const caller = { address, signupToken: undefined, actor: { address } }
      const data = { ownerEmail: email, name: userName(), ...given }
      const created = await workspaces.createFirst(caller, data, async (session, workspace): Promise<CreatedFirst> => {
        const workspaceId = workspace.id as WorkspaceId
        const owner = await findOperatorByEmail(session, workspaceId, email)
        if (owner === undefined) throw new Error('the workspace was created without its owner')
        const { id: operatorId, name } = owner
        const [apiKey = ''] = Object.keys(workspace.apiKeyList)
        return {
          session: await sessions.startIn(session, { workspaceId, operatorId, name }, 'link', origin),
          workspace: { workspaceId, workspaceToken: workspace.authToken, apiKey },
        }
      })
      if (created === undefined) throw credentialsInvalid()
      return created
    },
  }
}

/** Returns the name of the person whose process this is, whom events name. Containers may have users without one. */
function userName(): string {
  try {
    return os.userInfo().username || 'Owner'
  } catch {
    return 'Owner'
  }
}
