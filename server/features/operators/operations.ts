/** Lists, invites, updates and removes the operators of a workspace (rules/operators.md#operators). */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { isAtLeast, type OperatorRole } from '#contract/workspace/operator-roles.ts'
import type { inviteOperator, Operator, removeOperator, updateOperator } from '#contract/workspace/operators.ts'
import { setWeekly } from '#features/findings/shared.ts'
import { type AddInvitation, createLoginLinks } from '#features/login-links/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { requireMailAddress } from '#tenancy/addresses.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { roleNotEnough } from '#tenancy/refusals.ts'
import { changeAccess } from '#tenancy/writes/workspace.ts'
import { limitCompanySessions } from './company-sessions.ts'
import {
  lastOwner,
  NO_MAIL,
  onlyAdminsGetFindings,
  operatorDoesNotExist,
  operatorExists,
  otherOperator,
  tooManyOperators,
} from './refusals.ts'
import {
  COUNT_OPERATORS,
  DELETE_OPERATOR,
  FIND_BY_EMAIL,
  GET_OPERATOR,
  GET_OPERATORS,
  INSERT_OPERATOR,
  type OperatorRow,
  RECORD_SEEN,
  UPDATE_OPERATOR,
} from './statements.ts'

export function createOperators({ config, db, use }: Kernel) {
  const links = use(createLoginLinks)

  const record = (
    session: Session,
    { workspaceId, actor }: WorkspaceCaller,
    event: Pick<StreamEvent, 'type' | 'before' | 'after'>,
  ) => recordStreamEvents(session, [{ ...event, workspaceId, actor }])

  async function read(session: Session, workspaceId: WorkspaceId, operatorId: string): Promise<OperatorRow> {
    const [row] = await session.run(GET_OPERATOR, [workspaceId, operatorId])
    if (row === undefined) throw operatorDoesNotExist()
    return row
  }

  /** Refuses to take the role of the last owner. */
  async function requireOtherOwner(session: Session, workspaceId: WorkspaceId): Promise<void> {
    const [counted] = await session.run(COUNT_OPERATORS, [workspaceId])
    if ((counted?.owners ?? 0) < 2) throw lastOwner()
  }

  /** Gives an operator another name or role. */
  async function change(session: Session, workspaceId: WorkspaceId, before: OperatorRow, after: OperatorRow) {
    const isNoLongerOwner = before.role === 'owner' && after.role !== 'owner'
    if (isNoLongerOwner) await requireOtherOwner(session, workspaceId)
    await session.run(UPDATE_OPERATOR, [workspaceId, before.id, after.name, after.role, after.invitedBy])
    if (isNoLongerOwner) await limitCompanySessions(session, workspaceId)
  }

  async function add(session: Session, workspaceId: WorkspaceId, data: Invitation, invitedBy: string): Promise<string> {
    const [counted] = await session.run(COUNT_OPERATORS, [workspaceId])
    if ((counted?.all ?? 0) >= LIMITS.operatorsPerWorkspaceMax) throw tooManyOperators()
    const { email, name = email, role } = data
    const [inserted] = await session.run(INSERT_OPERATOR, [workspaceId, email, name, role, invitedBy])
    if (inserted === undefined) throw new Error('the operator was not inserted')
    return inserted.id
  }

  /** Adds the owner of a new workspace. */
  async function insertOwner(
    session: Session,
    workspaceId: WorkspaceId,
    { email, name }: { email: string; name: string },
  ) {
    await session.run(INSERT_OPERATOR, [workspaceId, email, name, 'owner', null])
  }

  return {
    insertOwner,

    async get({ workspaceId }: WorkspaceCaller): Promise<{ operators: Operator[] }> {
      return { operators: (await db.run(GET_OPERATORS, [workspaceId])).map(operatorOf) }
    },

    async invite(caller: WorkspaceCaller, data: Invitation): Promise<ResultOf<typeof inviteOperator>> {
      requireMailAddress('email', data.email)
      const { workspaceId, actor } = caller
      const inTransaction = (addLink: AddInvitation) =>
        changeAccess(db, caller, 'admin', async (session, role) => {
          const [known] = await session.run(FIND_BY_EMAIL, [workspaceId, data.email])
          if (known !== undefined && known.lastSeenAt !== null) throw operatorExists()
          requireManager(role, data.role, known?.role)
          const invitedBy = actor.operator?.name ?? actor.token ?? ''
          if (known !== undefined) {
            const { name = known.name } = data
            await change(session, workspaceId, known, { ...known, name, role: data.role, invitedBy })
          }
          const id = known?.id ?? (await add(session, workspaceId, data, invitedBy))
          const isFirstOfOwner = known !== undefined && known.invitedBy === null
          const link = await addLink(session, { id, email: known?.email ?? data.email, isFirstOfOwner })
          const operator = await read(session, workspaceId, id)
          const after = { ...operatorInEvent(operator), isMailed: link.isMailed }
          await record(session, caller, { type: 'operator.invited', after })
          return { operator: operatorOf(operator), ...link }
        })
      return links.invite(workspaceId, inTransaction)
    },

    update: (caller: WorkspaceCaller, data: DataOf<typeof updateOperator>) =>
      changeAccess(db, caller, 'admin', async (session, role): Promise<HandlerResult<Operator>> => {
        const { operatorId, name, role: newRole, weeklyFindings } = data
        const { workspaceId } = caller
        const before = await read(session, workspaceId, operatorId)
        requireManager(role, before.role, newRole)
        // Nobody gets mail that a tenant chose because somebody else wants it, also not after unsubscribing.
        if (weeklyFindings && caller.operator?.id !== before.id) throw otherOperator()
        const after = {
          ...before,
          name: name ?? before.name,
          role: newRole ?? before.role,
          weeklyFindings: weeklyFindings ?? before.weeklyFindings,
        }
        if (weeklyFindings && !isAtLeast(after.role, 'admin')) throw onlyAdminsGetFindings()
        if (after.weeklyFindings !== before.weeklyFindings)
          await setWeekly(session, { workspaceId, operatorId: before.id }, after.weeklyFindings)
        const result = { data: operatorOf(after), ...(weeklyFindings && !config.SMTP_URL && { warnings: [NO_MAIL] }) }
        if (after.name === before.name && after.role === before.role) return result
        await change(session, workspaceId, before, after)
        await record(session, caller, {
          type: 'operator.updated',
          before: operatorInEvent(before),
          after: operatorInEvent(after),
        })
        return result
      }),

    remove: (caller: WorkspaceCaller, { operatorId }: DataOf<typeof removeOperator>) =>
      changeAccess(db, caller, 'admin', async (session, role): Promise<void> => {
        const { workspaceId } = caller
        const before = await read(session, workspaceId, operatorId)
        requireManager(role, before.role)
        if (before.role === 'owner') await requireOtherOwner(session, workspaceId)
        await session.run(DELETE_OPERATOR, [workspaceId, before.id])
        await record(session, caller, { type: 'operator.removed', before: operatorInEvent(before) })
      }),

    /** Records the minute of an operator's last call. */
    async recordSeen(session: Session, workspaceId: WorkspaceId, operatorId: string): Promise<void> {
      await session.run(RECORD_SEEN, [workspaceId, operatorId])
    },
  }
}

type Invitation = DataOf<typeof inviteOperator>

/** Refuses everybody except owners if one of the roles is `owner`. */
function requireManager(role: OperatorRole, ...roles: (OperatorRole | undefined)[]): void {
  if (roles.includes('owner') && role !== 'owner') throw roleNotEnough(role, 'owner')
}

export const operatorInEvent = ({ id, email, name, role }: Pick<OperatorRow, 'id' | 'email' | 'name' | 'role'>) => ({
  operatorId: id,
  email,
  name,
  role,
})

const operatorOf = ({ lastSeenAt, createdAt, invitedBy, linkExpiresAt, ...row }: OperatorRow): Operator => ({
  ...row,
  createdAt: createdAt.getTime(),
  ...(lastSeenAt === null ? {} : { lastSeenAt: lastSeenAt.getTime() }),
  ...(invitedBy === null ? {} : { invitedBy }),
  ...(linkExpiresAt === null ? {} : { linkExpiresAt: Math.floor(linkExpiresAt.getTime() / 1000) }),
})
