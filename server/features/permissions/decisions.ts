/**
 * Decides what users may do (rules/access.md#decision, rules/access.md#answer, rules/access.md#permissions-get,
 * rules/access.md#questions).
 */
import type {
  checkPermissions,
  Decision,
  getPermissions,
  PermissionEntry,
  PermissionsByUser,
} from '#contract/decisions.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf } from '#contract/operation.ts'
import { organizationFault } from '#contract/permissions.ts'
import { atOnce, type Steps } from '#contract/validation/steps.ts'
import type { Db } from '#platform/db/db.ts'
import { inSlices } from '#platform/slices.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { coalescedReads, type RequestRow } from '#tenancy/writes/coalesced.ts'
import type { DecidedRow, DecisionRow, QuestionRow } from './decision-rows.ts'
import { DECIDE, DECIDE_IN_SHORT } from './decision-statements.ts'

/** A question, and whether the key may have disabled users. */
type AskedRow = QuestionRow & Pick<Caller, 'hasDisabledUsers'>

/** A table of so many cells takes a millisecond. */
const AT_ONCE_MAX = 500

export type Decisions = ReturnType<typeof createDecisions>

export function createDecisions({ db }: { db: Db }) {
  const deciding = coalescedReads(db, DECIDE, { run: createDecide(db) })

  return {
    async get(caller: Caller | UserCaller, data: DataOf<typeof getPermissions>): Promise<PermissionsByUser> {
      const questions = questionsOf(caller, data, (count) => deciding.assertRoom(count, caller.apiKeyId))
      const decisions = await deciding.run(questions, caller.apiKeyId)
      const table = tabulate(data, questions, decisions)
      const byUser = questions.length > AT_ONCE_MAX ? await inSlices(caller.workspaceId, table) : atOnce(table)
      if (!data.skipResourceExistenceValidation && decisions.some(({ reason }) => reason === 'does_not_exist'))
        throw new StatusError(
          'NOT_FOUND',
          'resource_does_not_exist',
          'A requested organization, folder or document does not exist; see details.',
          { details: byUser },
        )
      return byUser
    },

    async check(caller: Caller | UserCaller, { checks }: DataOf<typeof checkPermissions>): Promise<Decision[]> {
      const faults = checks.flatMap(
        ({ resource }, index) => organizationFault(resource, `checks[${index}].resource`) ?? [],
      )
      if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
      const questions = checks.map(({ userId, resource, atLeast }, index) => ({
        userId: requestedUser(caller, userId, `checks[${index}].userId`),
        organizationKey: organizationKey(caller, owningOrganization(resource)),
        kind: resource.type,
        resourceId: resource.id,
        defaultAccessType: caller.defaultAccessType,
        defaultAccessRole: caller.defaultAccessRole,
        hasDisabledUsers: caller.hasDisabledUsers,
        atLeast: atLeast ?? null,
      }))
      return (await deciding.run(questions, caller.apiKeyId)).map(decisionOf)
    },

    /** Decides questions, joined with those of other calls. */
    decide: (questions: AskedRow[], tenant: string): Promise<DecisionRow[]> => deciding.run(questions, tenant),

    coalescers: [deciding],
  }
}

/**
 * Returns a function that decides rows in one statement: in the short form, unless a key may have disabled users, or an
 * organization turns out to have grants of groups, or one of the last call had. All decisions are of one moment, that of the last
 * statement. The caller of a question was read after the call arrived, so it knows of every user who was disabled before.
 */
function createDecide(db: Db) {
  let withGroups = false
  const inForce = (rows: readonly DecidedRow[]) => rows.some(({ hasGroupGrants }) => hasGroupGrants)
  return async (rows: readonly (AskedRow & RequestRow)[]): Promise<DecidedRow[]> => {
    if (!withGroups && !rows.some(({ hasDisabledUsers }) => hasDisabledUsers)) {
      const decisions = await db.runSet(DECIDE_IN_SHORT, rows)
      if (!inForce(decisions)) return decisions
    }
    const decisions = await db.runSet(DECIDE, rows)
    withGroups = inForce(decisions)
    return decisions
  }
}

/** Returns the user of a question. A call with a user token may omit it, or name the token's own user. */
function requestedUser(caller: Caller | UserCaller, userId: string | undefined, field: string): string {
  const requested = userId ?? ('userId' in caller ? caller.userId : undefined)
  if (requested === undefined) throw invalidArgument([{ field, message: `${field} is required` }])
  if ('userId' in caller && requested !== caller.userId)
    throw new StatusError('PERMISSION_DENIED', 'other_user', 'A user token can ask only about its own user.')
  return requested
}

/** Returns a question for each pair of a user and a resource; before, calls `assertRoom` with their number. */
function questionsOf(
  caller: Caller | UserCaller,
  { organizationId, userIds, folderIds = [], documentIds = [] }: DataOf<typeof getPermissions>,
  assertRoom: (count: number) => void,
): AskedRow[] {
  const resources = [
    { kind: 'organization' as const, resourceId: organizationId },
    ...[...new Set(folderIds)].map((resourceId) => ({ kind: 'folder' as const, resourceId })),
    ...[...new Set(documentIds)].map((resourceId) => ({ kind: 'document' as const, resourceId })),
  ]
  const users = [...new Set((userIds ?? [undefined]).map((userId) => requestedUser(caller, userId, 'userIds')))]
  if (users.length * resources.length > LIMITS.permissionCellsMax) {
    const message = `userIds × (1 + folderIds + documentIds) must not be more than ${LIMITS.permissionCellsMax}`
    throw invalidArgument([{ field: 'userIds', message }])
  }
  assertRoom(users.length * resources.length)
  const key = organizationKey(caller, organizationId)
  return users.flatMap((userId) =>
    resources.map((resource) => ({
      organizationKey: key,
      ...resource,
      userId,
      defaultAccessType: caller.defaultAccessType,
      defaultAccessRole: caller.defaultAccessRole,
      hasDisabledUsers: caller.hasDisabledUsers,
      atLeast: null,
    })),
  )
}

function* tabulate(
  data: DataOf<typeof getPermissions>,
  questions: readonly QuestionRow[],
  decisions: readonly DecisionRow[],
): Steps<PermissionsByUser> {
  type Entries = Map<string, PermissionEntry>
  const users = new Map<string, Record<QuestionRow['kind'], Entries>>()
  for (const [index, { userId, kind, resourceId }] of questions.entries()) {
    const user = users.get(userId) ?? { organization: new Map(), folder: new Map(), document: new Map() }
    users.set(userId, user)
    user[kind].set(resourceId, entryOf(kind, decisions[index] as DecisionRow))
    yield
  }
  return Object.fromEntries(
    [...users].map(([userId, { organization, folder, document }]) => [
      userId,
      {
        organization: Object.fromEntries(organization),
        ...(data.folderIds === undefined ? {} : { folders: Object.fromEntries(folder) }),
        ...(data.documentIds === undefined ? {} : { documents: Object.fromEntries(document) }),
      },
    ]),
  )
}

const DENIALS = {
  disabled: 'Access is disabled.',
  user_disabled: 'The user is disabled.',
  no_grant: 'The user has no permission.',
  grant_expired: "The user's permission has expired.",
  does_not_exist: 'It does not exist.',
} as const

function entryOf(kind: QuestionRow['kind'], row: DecisionRow): PermissionEntry {
  const { allowed, ...entry } = decisionOf(row)
  if (allowed || !(entry.reason in DENIALS)) return entry
  const missing = entry.reason === 'does_not_exist'
  return {
    ...entry,
    error: missing
      ? `${kind[0]?.toUpperCase()}${kind.slice(1)} does not exist.`
      : DENIALS[entry.reason as keyof typeof DENIALS],
    errorCode: missing ? 'does_not_exist' : 'permission_denied',
  }
}

/** Returns a decision in the form of the API, without the fields that are null. */
export function decisionOf(row: DecisionRow): Decision {
  const { allowed, reason, accessRole, accessType, viaType, viaId, viaGroupId, inherited, expiresAt, migratedTo } = row
  return {
    allowed,
    ...(accessRole === null ? {} : { accessRole }),
    ...(accessType === null ? {} : { accessType }),
    reason,
    ...(viaType === null
      ? {}
      : {
          via: {
            type: viaType,
            ...(viaId === null ? {} : { id: viaId }),
            inherited: inherited === true,
            ...(viaGroupId === null ? {} : { group: viaGroupId }),
          },
        }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(migratedTo === null ? {} : { migratedTo }),
  }
}
