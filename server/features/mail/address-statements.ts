/** SQL of the addresses of owners: whether the owner was asked, and has confirmed the address. */

import { statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { foldedInSql } from '#tenancy/addresses.ts'

/** Returns whether the owner of an address (`$1`) has confirmed it. */
export const IS_CONFIRMED = statement<{ confirmed: boolean }>(
  'mail-addresses.is-confirmed',
  `select confirmed_at is not null as confirmed from mail_addresses where address = ${foldedInSql('$1::text')}`,
)

/**
 * Returns a row if the owner of an address must be asked now, because the owner was never asked, or more than a day
 * ago. Concurrent callers get no row.
 */
export const ASK = statement<{ address: string }>(
  'mail-addresses.ask',
  /* sql */ `
  insert into mail_addresses as known (address) values (${foldedInSql('$1::text')})
  on conflict (address) do update set asked_at = clock_timestamp()
   where known.confirmed_at is null and not ${isWithin('known.asked_at', `interval '1 day'`, 'clock_timestamp()')}
  returning address`,
)

/** Allows the question to the owner to be sent again immediately, because it could not be sent. */
export const RESET_ASKED = statement<never>(
  'mail-addresses.reset-asked',
  `update mail_addresses set asked_at = '-infinity' where address = ${foldedInSql('$1::text')}`,
)

export const CONFIRM = statement<never>(
  'mail-addresses.confirm',
  /* sql */ `
  insert into mail_addresses as known (address, confirmed_at) values (${foldedInSql('$1::text')}, clock_timestamp())
  on conflict (address) do update set confirmed_at = coalesce(known.confirmed_at, clock_timestamp())`,
)
