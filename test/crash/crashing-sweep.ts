/**
 * Sweeps a store with expired grants once, and dies at the given step of it: before a statement of its transactions or a
 * commit is sent, or while it waits for the response. Without a step it prints the steps that it saw.
 */
import { sweepExpired } from '#features/permissions/expiry/expiry.ts'
import { readConfig } from '../../server/config.ts'
import { countSteps, type DieAt, openStore, printSteps, stepping } from './crash-step.ts'

export interface SweepOrder {
  /** The new organizations whose expired grants it inserts first. */
  organizationIds: string[]
  apiKeyId: string
  dieAt: DieAt
}

/** More than one batch processes of an organization. */
const GRANTS = 800
const KEPT_DAYS = 30

const { organizationIds, apiKeyId, dieAt }: SweepOrder = JSON.parse(process.argv[2] ?? '')
const opened = await openStore(readConfig(process.env))

/** Inserts into each organization grants that wait for their event, and one whose event is old. */
await opened.transaction(async (session) => {
  for (const id of organizationIds) {
    const { rows } = await session.query(
      `insert into organizations (organization_key, api_key_id, organization_id, added_at)
       values (gen_random_uuid(), $1, $2, now()) returning organization_key as key`,
      [apiKeyId, id],
    )
    const [organization] = rows as { key: string }[]
    await session.query(
      `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
       values ($1, $1, 'organization', $2, now(), array[$1::uuid], 1, $1)`,
      [organization?.key, id],
    )
    await session.query(
      `insert into grants (organization_key, resource_key, principal, kind, temporary_role, expires_at, expiry_event_at)
       select $1::uuid, $1::uuid, 'user ' || n, 'organization'::resource_kind, 'viewer'::access_role, now() - interval '1 hour', null::timestamptz
         from generate_series(1, $2::int) n
       union all select $1::uuid, $1::uuid, 'long ago', 'organization', 'viewer', now() - interval '90 days', now() - interval '89 days'`,
      [organization?.key, GRANTS],
    )
  }
})

const { steps, step } = countSteps(dieAt)
const db = stepping(opened, step)

await sweepExpired({ db, keptDays: KEPT_DAYS })
await printSteps(steps)
