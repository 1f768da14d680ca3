/** Exports an access review as CSV: a row for each grant. */
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { actorName } from '../../components/people/actor-name.ts'
import { nameOfDecided, type ReviewedAccess } from '../../queries/access/access-review.ts'
import type { Decisions } from './decisions.ts'

const COLUMNS = [
  ...['User id', 'User group id', 'Name', 'Resource type', 'Resource id', 'Resource name', 'Role', 'Expires'],
  ...['Granted', 'Granted by', 'Last sign-in', 'Last active', 'Decision'],
]

const moment = (ms: number | undefined): string => (ms === undefined ? '' : new Date(ms).toISOString())

export const csvOfReview = (rows: readonly ReviewedAccess[], decisions: Decisions): string =>
  csvRows([
    COLUMNS,
    ...rows.flatMap((row) =>
      row.grants.map(({ accessRole, expiresAt, grantedAt, grantedBy, lastSignInAt }) => [
        ...[row.userId ?? '', row.groupId ?? '', row.name ?? '', row.type, row.id, row.resourceName ?? '', accessRole],
        ...[expiresAt === undefined ? 'never' : moment(expiresAt * 1_000), moment(grantedAt)],
        ...[grantedBy === undefined ? '' : actorName(grantedBy, row.name ?? row.userId), moment(lastSignInAt)],
        moment(row.lastActiveAt),
        decisions.of(nameOfDecided(row)) ?? '',
      ]),
    ),
  ])
