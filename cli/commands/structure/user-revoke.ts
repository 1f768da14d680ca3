/** `user revoke`: shows all access of users who leave, revokes it after a confirmation, and shows the remaining access. */
import type { Command } from 'commander'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { getUserAccessRevocation, revokeUserAccess, type UserAccessRevocation } from '#contract/users/user-access.ts'
import { type HeldAccess, holdsNothing, type RevocationPreview, sumOfPages } from '#sdk/shared/revocation-preview.ts'
import { addCommand } from '../../command.ts'
import { call, pagesOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import type { Exit } from '../../exit-codes.ts'
import { productionNotice } from '../../operation-command.ts'
import { printJson } from '../../terminal/output.ts'
import { watchJob } from '../../terminal/progress.ts'
import { column, resource, seconds, tableLines } from '../../terminal/table.ts'
import { coloured, note, plain, print, requireConfirmation } from '../../terminal/terminal.ts'

/** The number of grants or groups of a kind that are named. */
const SHOWN = LIMITS.revokedItemsShownMax

export function addUserRevoke(program: Command): void {
  addCommand(program, 'user revoke', {
    summary: 'Revoke all access of users who leave.',
    description:
      'Shows all grants and user groups of the users in every organization, asks for confirmation, and calls user-access.revoke, with an API key and an auth token with the scope write. Then it waits until everything is removed, and shows the remaining grants and the public resources. Profiles are kept. Exits with 1 if something was granted in the meantime.',
    examples: ['commonhold user revoke ada --dry-run', 'commonhold user revoke ada --disable --yes'],
    async run({ words, options, connection }) {
      const userIds = [...new Set(words[0] as string[])]
      const json = options.json === true
      const before = await previewOf(connection(), userIds)
      if (options.dryRun === true) {
        json ? printJson(before) : [...heldLines(before.users), ...publicLines(before.public)].forEach(print)
        return 'done'
      }
      heldLines(before.users).forEach(json ? note : print)
      const disable = options.disable === true
      const alsoDisable = disable ? ', and disable them' : ''
      const question = `Revoke all of this, and the user tokens of ${userIds.map(plain).join(', ')}${alsoDisable}?`
      const notice = productionNotice({ operation: revokeUserAccess }, connection)
      await requireConfirmation(`${question}${notice}`, options.yes === true)
      const { removed, jobId } = await revoke(connection(), { userIds, disable })
      const after = await previewOf(connection(), userIds)
      if (json) printJson({ jobId, before, removed, after })
      else [...removedLines(removed), ...leftLines(after.users), ...publicLines(after.public)].forEach(print)
      return exitOf(after.users)
    },
  })
    .argument('<user...>', 'The users.')
    .option('--disable', 'Also disable the users, which blocks all their access at once, including public resources.')
    .option('--dry-run', 'Only show the grants and groups that would be removed, and the public resources.')
    .option('-y, --yes', 'Do not ask for confirmation.')
}

/** Starts the job and waits for its end. */
async function revoke(connection: Connection, data: DataOf<typeof revokeUserAccess>): Promise<UserAccessRevocation> {
  const { jobId = '' } = (await call(connection, revokeUserAccess, data)) as { jobId?: string }
  note(`The job is ${jobId}. It continues if this command is interrupted: commonhold user revocation ${jobId}`)
  return watchJob(() => call(connection, getUserAccessRevocation, { jobId }) as Promise<UserAccessRevocation>)
}

/** Reads all pages of the preview, and adds them up. */
async function previewOf(connection: Connection, userIds: readonly string[]): Promise<RevocationPreview> {
  const pages = await Array.fromAsync(
    pagesOf(connection, revokeUserAccess, { userIds, dryRun: true }),
    ({ data }) => (data as { preview: RevocationPreview }).preview,
  )
  return sumOfPages(pages, SHOWN)
}

const exitOf = (users: readonly HeldAccess[]): Exit => (users.every(holdsNothing) ? 'done' : 'no')

function heldLines(users: readonly HeldAccess[]): string[] {
  const counts = tableLines(
    [
      column('USER', 'userId'),
      column('ORGANIZATIONS'),
      column('GRANTS'),
      column('TEMPORARY', 'temporaryGrants'),
      column('GROUPS', 'userGroups'),
      column('DISABLED'),
      column('', 'hasMore', (value) => (value === true ? 'or more' : '')),
    ],
    users,
  )
  const items = users.flatMap(({ userId, firstGrants, firstUserGroups }) => [
    ...firstGrants.map((grant) => ({ userId, on: grant, ...grant })),
    ...firstUserGroups.map((group) => ({ userId, on: { type: 'group', id: group.groupId }, ...group })),
  ])
  if (items.length === 0) return counts
  const columns = [
    column('USER', 'userId'),
    column('ORGANIZATION', 'organizationId'),
    column('ON', 'on', resource),
    column('ROLE', 'accessRole'),
    column('EXPIRES', 'expiresAt', seconds),
  ]
  const isCut = users.some(
    ({ grants, userGroups, firstGrants, firstUserGroups }) =>
      grants + userGroups > firstGrants.length + firstUserGroups.length,
  )
  const cut = isCut ? [coloured('dim', `Of each user, the first ${SHOWN} grants and user groups are shown.`)] : []
  return [...counts, '', ...tableLines(columns, items), ...cut]
}

function removedLines({ grants, temporaryGrants, userGroups }: UserAccessRevocation['removed']): string[] {
  const temporary = temporaryGrants === 0 ? '' : ` (${temporaryGrants} temporary)`
  return [
    `${coloured('green', '✓')} Removed: ${grants} ${grants === 1 ? 'grant' : 'grants'}${temporary} and ${userGroups} group ${userGroups === 1 ? 'membership' : 'memberships'}. The user tokens were revoked.`,
  ]
}

function leftLines(users: readonly HeldAccess[]): string[] {
  const left = users.filter((user) => !holdsNothing(user))
  const namesOf = (some: readonly HeldAccess[]): string => some.map(({ userId }) => plain(userId)).join(', ')
  const gone = users.filter(holdsNothing)
  const disabled = users.filter((user) => user.disabled)
  const check = coloured('green', '✓')
  return [
    ...(gone.length === 0 ? [] : [`${check} Nothing is left of: ${namesOf(gone)}`]),
    ...(disabled.length === 0
      ? []
      : [`${check} Disabled, so access to public resources is blocked too: ${namesOf(disabled)}`]),
    ...(left.length === 0 ? [] : ['', 'Granted meanwhile:', ...heldLines(left)]),
  ]
}

function publicLines({
  byDefault,
  accessRole,
  organizations,
  firstOrganizations,
}: RevocationPreview['public']): string[] {
  if (!byDefault && organizations === 0) return ['Nothing is public.']
  const named = firstOrganizations.map(plain).join(', ') + (organizations > SHOWN ? ', …' : '')
  return [
    ...(byDefault
      ? [
          `Public: the default of the API key. Every user has access as ${accessRole} to resources without an access type of their own.`,
        ]
      : []),
    ...(organizations > 0
      ? [
          `Public: folders or documents in ${organizations} of the organizations, to every user as ${accessRole}: ${named}`,
        ]
      : []),
  ]
}
