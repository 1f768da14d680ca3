/**
 * Decides what users may do (rules/access.md#decision, rules/access.md#answer, rules/access.md#permissions-get,
 * rules/access.md#questions).
 */
import type { checkPermissions, Decision, getPermissions, PermissionsByUser } from '#contract/access/decisions.ts'
import { organizationFault } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { atOnce } from '#contract/validation/steps.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import { inSlices } from '#platform/queues/slices.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey, organizationKeys, owningOrganization } from '#tenancy/callers/keys.ts'
import { requestedUser } from '#tenancy/callers/own-user.ts'
import { coalescedReads, type RequestRow } from '#tenancy/writes/coalesced.ts'
import { decisionOf, tabulate } from '../decision/forms.ts'
import type { DecisionRow, QuestionRow, ShortlyDecidedRow } from '../decision/rows.ts'
import { DECIDE, DECIDE_IN_SHORT } from '../decision/statement.ts'
import { createProvidedAccess, type NamedQuestion } from '../provided/access.ts'

/** A question, and whether the key may have disabled users. */
type AskedRow = QuestionRow & Pick<Caller, 'hasDisabledUsers'>

type Question = AskedRow & NamedQuestion

/** While a provider was asked, the first user of the key may have been disabled. */
const withDisabledUsers = (question: Question): Question => ({ ...question, hasDisabledUsers: true })

const nameOf = ({ organizationKey, resourceId }: Question): string => `${organizationKey} ${resourceId}`

/** Returns questions about the new ids of migrated documents. */
const newIdsOf = (questions: readonly Question[], decisions: readonly DecisionRow[]): Question[] =>
  questions.flatMap((question, index) => {
    const resourceId = decisions[index]?.migratedTo ?? null
    return resourceId === null ? [] : [{ ...question, resourceId, atLeast: null }]
  })

/** Returns the names of the questions that are allowed. */
const openAmong = (questions: readonly Question[], decisions: readonly DecisionRow[]): Set<string> =>
  new Set(questions.flatMap((question, index) => (decisions[index]?.allowed ? [nameOf(question)] : [])))

/** Returns the decisions without new ids of migrated documents that are not among the open ones. */
const withoutClosedIds = (
  questions: readonly Question[],
  decisions: readonly DecisionRow[],
  open: ReadonlySet<string>,
): DecisionRow[] =>
  decisions.map((decision, index) => {
    const question = questions[index]
    const isOpen = question && open.has(nameOf({ ...question, resourceId: decision.migratedTo ?? '' }))
    return decision.migratedTo === null || isOpen ? decision : { ...decision, migratedTo: null }
  })

/** A table with this number of cells takes a millisecond. */
const AT_ONCE_MAX = 500

export type Decisions = ReturnType<typeof createDecisions>

export function createDecisions({ db, use }: Kernel) {
  const deciding = coalescedReads(db, DECIDE, { run: createDecide(db) })
  const provided = use(createProvidedAccess)

  /**
   * Decides the questions of a call. With a user token, the permission provider is asked about the denied questions, and
   * then about the new ids of migrated documents. All are decided again after each answer, which can take seconds.
   */
  async function decide(caller: Caller | UserCaller, asked: Question[]): Promise<DecisionRow[]> {
    const run = (questions: Question[]) => deciding.run(questions, caller.apiKeyId)
    const stored = await run(asked)
    if (!('userId' in caller)) return stored
    const isProvided = await provide(caller, asked, stored)
    const questions = isProvided ? asked.map(withDisabledUsers) : asked
    const decisions = isProvided ? await run(questions) : stored
    const moved = newIdsOf(questions, decisions)
    if (moved.length === 0) return decisions
    const opened = await run(moved)
    if (!(await provide(caller, moved, opened))) return withoutClosedIds(questions, decisions, openAmong(moved, opened))
    const all = await run([...questions, ...moved].map(withDisabledUsers))
    const open = openAmong(moved, all.slice(questions.length))
    return withoutClosedIds(questions, all.slice(0, questions.length), open)
  }

  /** Asks the provider, if the key has one, about denied questions. Returns whether it was asked. */
  const provide = async (caller: UserCaller, questions: Question[], decisions: DecisionRow[]): Promise<boolean> =>
    caller.providerVersion !== null && (await provided.ask(caller, questions, decisions))

  return {
    async get(caller: Caller | UserCaller, data: DataOf<typeof getPermissions>): Promise<PermissionsByUser> {
      const questions = questionsOf(caller, data, (count) => deciding.assertRoom(count, caller.apiKeyId))
      const decisions = await decide(caller, questions)
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
      const keyOf = organizationKeys(caller)
      const questions = checks.map(({ userId, resource, atLeast }, index) => ({
        userId: requestedUser(caller, userId, `checks[${index}].userId`),
        organizationId: owningOrganization(resource),
        organizationKey: keyOf(owningOrganization(resource)),
        kind: resource.type,
        resourceId: resource.id,
        defaultAccessType: caller.defaultAccessType,
        defaultAccessRole: caller.defaultAccessRole,
        hasDisabledUsers: caller.hasDisabledUsers,
        atLeast: atLeast ?? null,
      }))
      return (await decide(caller, questions)).map(decisionOf)
    },

    /** Decides questions, together with the questions of other calls. */
    decide: (questions: AskedRow[], tenant: string): Promise<DecisionRow[]> => deciding.run(questions, tenant),

    coalescers: [deciding, ...provided.coalescers],
  }
}

/**
 * Returns a function that decides rows in one statement. It uses the short form of the decision, unless a key may have
 * disabled users, an organization turns out to have grants of groups, or an organization in the last call had some. All
 * decisions are as of one moment, that of the last statement. The caller of a question was read after the call arrived,
 * so it knows of every user who was disabled before.
 */
function createDecide(db: Db) {
  let withGroups = false
  return async (rows: readonly (AskedRow & RequestRow)[]): Promise<(DecisionRow & RequestRow)[]> => {
    if (!withGroups && !rows.some(({ hasDisabledUsers }) => hasDisabledUsers)) {
      const decisions = await db.runSet(DECIDE_IN_SHORT, rows)
      if (decisions.every(isDecided)) return decisions
    }
    const decisions = await db.runSet(DECIDE, rows)
    withGroups = decisions.some(({ hasGroupGrants }) => hasGroupGrants)
    return decisions
  }
}

const isDecided = (row: ShortlyDecidedRow): row is ShortlyDecidedRow & DecisionRow => row.reason !== null

/** Returns a question for each pair of a user and a resource; before, calls `assertRoom` with their number. */
function questionsOf(
  caller: Caller | UserCaller,
  { organizationId, userIds, folderIds = [], documentIds = [] }: DataOf<typeof getPermissions>,
  assertRoom: (count: number) => void,
): Question[] {
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
      organizationId,
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
