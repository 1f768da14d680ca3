/** Records, reads, changes and deletes activities (rules/comments.md#activities). */
import type {
  Activity,
  addActivities,
  deleteActivities,
  getActivities,
  updateActivities,
} from '#contract/activities/activities.ts'
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { requireOpenDocument } from '#features/permissions/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { cutPage } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, ownerOfPages, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { requireDocumentOrOrganization, requireResource } from '#tenancy/existence.ts'
import { createPushId } from '#tenancy/push-ids.ts'
import { documentDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization, writeUnderLock } from '#tenancy/writes/organization.ts'
import {
  type ActivityRow,
  LIST_ACTIVITIES,
  LIST_ACTIVITIES_BY_DOCUMENT,
  LIST_ACTIVITIES_BY_ID,
  LIST_ACTIVITIES_BY_TARGET,
  LIST_ACTIVITIES_BY_USER,
} from './read-statements.ts'
import {
  type ActivityOutcome,
  ADD_ACTIVITIES,
  DELETE_ACTIVITIES_BY_DOCUMENT,
  DELETE_ACTIVITIES_BY_ID,
  DELETE_ACTIVITIES_BY_TARGET,
  type NewActivityOutcome,
  UPDATE_ACTIVITIES,
} from './statements.ts'

export function createActivities({ db, pageTokens }: Kernel) {
  /** Returns the activities of a document that is open to the user. */
  async function readOpen(session: Session, caller: UserCaller, data: DataOf<typeof getActivities>) {
    const { organizationId, documentId } = data
    if (documentId === undefined)
      throw invalidArgument([{ field: 'documentId', message: 'documentId is required with a user token' }])
    await requireOpenDocument(session, caller, { organizationId, documentId })
    return read(session, caller, data)
  }

  async function read(
    session: Session,
    caller: AnyCaller,
    data: DataOf<typeof getActivities>,
  ): Promise<HandlerResult<Activity[]>> {
    const { organizationId, order = 'desc', pageSize = LIMITS.pageSizeMax, pageToken, ...filters } = data
    const key = organizationKey(caller, organizationId)
    const scope = ['activities.get', ownerOfPages(caller), organizationId, order, filters]
    const after = pageTokens.decode(scope, pageToken)
    const { documentId, targetEntityId = null, featureTypes = null, actionTypes = null } = filters
    const { userId = null, activityIds = null } = filters
    const document = await requireDocumentOrOrganization(session, key, documentId)
    const lists =
      activityIds !== null
        ? LIST_ACTIVITIES_BY_ID
        : targetEntityId !== null
          ? LIST_ACTIVITIES_BY_TARGET
          : document !== null
            ? LIST_ACTIVITIES_BY_DOCUMENT
            : userId !== null
              ? LIST_ACTIVITIES_BY_USER
              : LIST_ACTIVITIES
    const [afterMs, afterId] = after === null ? [null, null] : (JSON.parse(after) as [number, string])
    const values = [key, afterMs, afterId, pageSize + 1, caller.apiKeyId, document, targetEntityId]
    const reader = isUser(caller) ? caller.userId : null
    const rows = await session.run(lists[order], [...values, featureTypes, actionTypes, userId, activityIds, reader])
    const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
    const nextPageToken = last && pageTokens.encode(scope, JSON.stringify([last.timestamp, last.id]))
    const matching = page.filter(({ matches }) => matches)
    return {
      data: withoutAddresses(
        caller,
        matching.map((row) => recordOf(row, caller, organizationId)),
      ),
      ...(nextPageToken && { nextPageToken, pageToken: nextPageToken }),
    }
  }

  return {
    async add(caller: Caller, { organizationId, documentId, activities }: DataOf<typeof addActivities>): Promise<void> {
      requireTargets(activities)
      const byId = new Map(activities.map((activity) => [activity.id ?? createPushId(), activity]))
      const rows = [...byId].map(([activityId, activity]) => {
        const { id: _, featureType, actionType, targetEntityId = null, targetSubEntityId = null, ...content } = activity
        return {
          organizationKey: organizationKey(caller, organizationId),
          apiKeyId: caller.apiKeyId,
          organizationId,
          createOrganization: false,
          documentId,
          activityId,
          featureType,
          actionType,
          actorId: activity.actionUser.userId,
          targetEntityId,
          targetSubEntityId,
          content,
        }
      })
      const refused = (await writeUnderLock(db, ADD_ACTIVITIES, rows)).find(({ outcome }) => outcome !== 'ok')
      if (refused !== undefined) throw refusalOf(refused)
    },

    get: (caller: AnyCaller, data: DataOf<typeof getActivities>): Promise<HandlerResult<Activity[]>> =>
      isUser(caller)
        ? db.transaction((session) => readOpen(session, caller, data), { snapshot: true })
        : read(db, caller, data),

    async update(
      caller: Caller,
      { organizationId, activities }: DataOf<typeof updateActivities>,
    ): Promise<BatchResult> {
      const key = organizationKey(caller, organizationId)
      const byId = new Map(activities.map(({ id, ...changes }) => [id, changes]))
      const rows = [...byId].map(([activityId, changes]) => ({ organizationKey: key, activityId, changes }))
      return changeOrganization(db, caller, key, async (session) => {
        const outcomes = await session.runSet(UPDATE_ACTIVITIES, rows)
        return Object.fromEntries(outcomes.map((outcome) => [outcome.activityId, resultOf(outcome, 'updated')]))
      })
    },

    async delete(caller: Caller, data: DataOf<typeof deleteActivities>): Promise<HandlerResult<BatchResult>> {
      const { organizationId, documentId, targetEntityId = null, activityIds = null } = data
      if (documentId === undefined && targetEntityId === null && activityIds === null) throw nothingNamed()
      const key = organizationKey(caller, organizationId)
      return changeOrganization(db, caller, key, async (session) => {
        const document =
          documentId === undefined ? null : await requireResource(session, key, { type: 'document', id: documentId })
        const statement =
          activityIds !== null
            ? DELETE_ACTIVITIES_BY_ID
            : targetEntityId !== null
              ? DELETE_ACTIVITIES_BY_TARGET
              : DELETE_ACTIVITIES_BY_DOCUMENT
        const outcomes = await session.run(statement, [key, document, targetEntityId, activityIds])
        const isFull = outcomes.length === LIMITS.recordsDeletedMax
        const missing = (activityIds ?? []).map((activityId) => ({ activityId, isImmutable: null }))
        const byId = new Map([...missing, ...outcomes].map((outcome) => [outcome.activityId, outcome]))
        return {
          data: Object.fromEntries([...byId].map(([id, outcome]) => [id, resultOf(outcome, 'deleted')])),
          ...(isFull && {
            warnings: [
              { code: 'more_may_match' as const, message: 'There may be more activities that match; repeat the call.' },
            ],
          }),
        }
      })
    },
  }
}

/** Refuses activities of type `custom` that name no target. */
function requireTargets(activities: DataOf<typeof addActivities>['activities']): void {
  const faults = activities.flatMap(({ featureType, targetEntityId }, index) => {
    if (featureType !== 'custom' || targetEntityId !== undefined) return []
    const field = `activities[${index}].targetEntityId`
    return [{ field, message: `${field} is required when featureType is "custom"` }]
  })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
}

function refusalOf({ outcome, activityId, migratedTo }: NewActivityOutcome): StatusError {
  switch (outcome) {
    case 'activities_off':
      return new StatusError(
        'FAILED_PRECONDITION',
        'activities_off',
        'Activities are switched off for this API key; call workspace/activityconfig/update with activityServiceConfig.isEnabled: true.',
      )
    case 'activity_immutable':
      return new StatusError(
        'FAILED_PRECONDITION',
        'activity_immutable',
        `The activity ${JSON.stringify(activityId)} exists and is immutable; use another id, or none.`,
      )
    case 'organization_does_not_exist':
      return organizationDoesNotExist()
    default:
      return documentDoesNotExist(migratedTo)
  }
}

function resultOf({ activityId, isImmutable }: ActivityOutcome, done: 'updated' | 'deleted'): ItemResult {
  if (isImmutable === null) return failed(activityId, 'not-found', 'The activity does not exist.')
  if (isImmutable) return failed(activityId, 'failed-precondition', 'The activity is immutable.')
  return { success: true, id: activityId, message: `Activity ${done} successfully.` }
}

function recordOf(row: ActivityRow, caller: AnyCaller, organizationId: string): Activity {
  const { content, profile, targetEntityId, targetSubEntityId, documentId, folderId } = row
  return {
    id: row.id,
    featureType: row.featureType,
    actionType: row.actionType,
    timestamp: row.timestamp,
    metadata: {
      apiKey: caller.apiKeyId,
      organizationId,
      documentId,
      ...(folderId !== null && !isUser(caller) && { folderId }),
    },
    ...(targetEntityId !== null && { targetEntityId }),
    ...(targetSubEntityId !== null && { targetSubEntityId }),
    ...content,
    actionUser: { ...content.actionUser, ...profile },
    immutable: row.isImmutable,
  }
}

const nothingNamed = () => {
  const message = 'documentId is required unless targetEntityId or activityIds is given'
  return invalidArgument([{ field: 'documentId', message }])
}
