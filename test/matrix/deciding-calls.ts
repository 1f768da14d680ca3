/** The calls that decide what users may do; each returns the decisions about questions. */
import assert from 'node:assert/strict'
import { AUTHZEN_PATHS, type EvaluationAnswer } from '#contract/access/authzen.ts'
import {
  checkPermissions,
  type Decision,
  getPermissions,
  type PermissionEntry,
  type PermissionsByUser,
} from '#contract/access/decisions.ts'
import { explainPermissions } from '#contract/access/explanations.ts'
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'
import type { Client } from '#testing/client.ts'
import type { World } from './build.ts'
import type { UserId } from './worlds.ts'

export interface Question {
  userId: UserId
  resource: ResourceName
  atLeast?: AccessRole | undefined
}

export const oneByOne = async (questions: readonly Question[], ask: (question: Question) => Promise<Decision[]>) =>
  (await Promise.all(questions.map(ask))).flat()

export const check = async (client: Client, checks: Question[]): Promise<Decision[]> =>
  (await client.call(checkPermissions, { checks })).checks

export const explain = async (client: Client, { userId, resource }: Question): Promise<Decision[]> => [
  (await client.call(explainPermissions, { userId, resource })).decision,
]

const idsOf = (type: ResourceName['type'], resources: readonly ResourceName[]) =>
  resources.flatMap((resource) => (resource.type === type ? [resource.id] : []))

/** Asks user by user. Without skipResourceExistenceValidation the call is refused, with the same decisions. */
export async function get(world: World, userIds: readonly UserId[], resources: ResourceName[], waive = true) {
  const { http, text, body } = await world.client.post(getPermissions.path, {
    organizationId: world.organization.id,
    userIds,
    folderIds: idsOf('folder', resources),
    documentIds: idsOf('document', resources),
    skipResourceExistenceValidation: waive,
  })
  assert.equal(http, waive ? 200 : 404, text)
  const answer: PermissionsByUser = waive ? body.result.data : body.error.details
  return userIds.flatMap((userId) =>
    resources.map(({ type, id }) => {
      const { organization = {}, folders = {}, documents = {} } = answer[userId] ?? {}
      const entry = { organization, folder: folders, document: documents }[type][id]
      return decisionOf(entry ?? assert.fail(`permissions.get says nothing of ${userId} and ${type} ${id}`))
    }),
  )
}

/** Returns the decision in a cell of `permissions.get`. */
export function decisionOf({ error, errorCode, ...entry }: PermissionEntry): Decision {
  const allowed = errorCode === undefined
  assert.equal(error === undefined, allowed)
  if (!allowed) assert.equal(errorCode === 'does_not_exist', entry.reason === 'does_not_exist')
  return { allowed, ...entry }
}

/** The actions of AuthZEN that need a role. */
const ACTIONS: Record<AccessRole, string> = { viewer: 'view', commenter: 'comment', editor: 'edit' }

export async function evaluate(client: Client, questions: readonly Question[]): Promise<Decision[]> {
  const evaluations = questions.map(({ userId, resource: { type, id, organizationId }, atLeast }) => ({
    subject: { type: 'user', id: userId },
    action: { name: ACTIONS[atLeast ?? 'viewer'] },
    resource: { type, id, properties: { organizationId } },
  }))
  const { http, text, body } = await client.raw(AUTHZEN_PATHS.evaluations, JSON.stringify({ evaluations }))
  assert.equal(http, 200, text)
  return body.evaluations.map(({ decision, context }: EvaluationAnswer) => {
    assert.equal(decision, 'allowed' in context && context.allowed, text)
    const { reason_admin: said, ...decided } = context as Decision & { reason_admin?: object }
    assert.equal(said !== undefined, decision && decided.accessType === 'public', text)
    return decided
  })
}
