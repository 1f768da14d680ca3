/**
 * Ends the sessions of operators whose role comes from a rule of single sign-on after twelve hours, so that people who
 * leave their company lose access with their account there (rules/operators.md#single-sign-on).
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'

/** One working day, so the provider is asked again the next day whether the person still belongs to the company. */
export const COMPANY_SESSION_HOURS = 12

/**
 * Limits the sessions of such operators of workspace `$1`, and those that command lines will get from an approval. Only sessions
 * that began in another way last longer: before the role came from a rule, or while single sign-on was off.
 */
export const LIMIT_COMPANY_SESSIONS = statement<never>(
  'operators.limit-company-sessions',
  /* sql */ `
  with latest as materialized (
    select coalesce($now, clock_timestamp()) + interval '${COMPANY_SESSION_HOURS} hours' as at
  ),
  of_rules as materialized (
    select array(
        select i.operator_id
          from operator_identities i
          join sso_configs c on c.workspace_id = i.workspace_id and c.issuer = i.issuer and c.enabled
          join operators o on o.workspace_id = i.workspace_id and o.operator_id = i.operator_id and o.role <> 'owner'
         where i.workspace_id = $1 and i.has_role_of_rule) as operator_ids
  ),
  approved as (
    update device_authorizations d set session_expires_at = latest.at
      from latest
     where d.workspace_id = $1 and d.operator_id = any((select operator_ids from of_rules)::uuid[]) and d.session_expires_at > latest.at
  )
  update console_sessions s set expires_at = latest.at
    from latest
   where s.workspace_id = $1 and s.operator_id = any((select operator_ids from of_rules)::uuid[]) and s.expires_at > latest.at`,
)

/** Runs under the lock of the workspace, whenever the role of an operator may have begun to come from a rule. */
export async function limitCompanySessions(session: Session, workspaceId: WorkspaceId): Promise<void> {
  await session.run(LIMIT_COMPANY_SESSIONS, [workspaceId])
}
