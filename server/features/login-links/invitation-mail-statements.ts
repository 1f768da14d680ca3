/** The SQL of the mails that invite operators. A row is the mail, and the job that sends it (ADR 0029). */
import { setStatement, statement } from '#platform/db/statement.ts'
import { leasedRows } from '#platform/jobs/leased-rows.ts'

export interface InvitationMailJob {
  workspaceId: string
  operatorId: string
}

export const INVITATION_MAILS = leasedRows<InvitationMailJob>({
  name: 'invitation-mails',
  table: 'invitation_mails',
  key: { workspaceId: 'workspace_id', operatorId: 'operator_id' },
  retrySeconds: { first: 2, longest: 3_600 },
})

/** Adds the mail of an invitation, in place of an earlier one to the operator. Runs under the lock of the workspace. */
export const ADD_INVITATION_MAIL = setStatement<InvitationMailJob & { linkSealed: Buffer }, never>(
  'invitation-mails.add',
  { workspaceId: 'text', operatorId: 'uuid', linkSealed: 'bytea' },
  /* sql */ `
  insert into invitation_mails (workspace_id, operator_id, link_sealed, due_at)
  select item.workspace_id, item.operator_id, item.link_sealed, clock_timestamp() from $input
  on conflict (workspace_id, operator_id) do update
     set mail_id = gen_random_uuid(), link_sealed = excluded.link_sealed, due_at = excluded.due_at, claimed_at = null, claims = 0,
         finished_at = null`,
)

export interface InvitationMail {
  mailId: string
  linkSealed: Buffer
}

export const GET_INVITATION_MAIL = statement<InvitationMail>(
  'invitation-mails.get',
  /* sql */ `
  select mail_id as "mailId", link_sealed as "linkSealed"
    from invitation_mails where workspace_id = $1 and operator_id = $2::uuid and finished_at is null`,
)

/** Ends a mail and forgets its link. A later invitation has another `mail_id`. */
export const FINISH_INVITATION_MAIL = statement<never>(
  'invitation-mails.finish',
  /* sql */ `
  update invitation_mails set finished_at = clock_timestamp(), link_sealed = null
   where workspace_id = $1 and operator_id = $2::uuid and mail_id = $3::uuid and finished_at is null`,
)
