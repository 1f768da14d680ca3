/** What the kinds of record have in common when they are sent. */
import type { KeyedCallOptions } from '#sdk/options.ts'
import type { Call, Failed, Item } from './calls.ts'
import type { DataKind, OneRecord } from './records.ts'

export type Options = KeyedCallOptions
export type ItemOf<Kind extends DataKind> = Item<OneRecord<Kind>>
export type Send<Kind extends DataKind> = Call<ItemOf<Kind>>['send']

export const organizationOf = ({ record }: ItemOf<'folder' | 'document' | 'userGroup' | 'userGroupUser'>): string =>
  record.organizationId

/** What cannot be added because it is there. */
export const isThere = ({ fault }: Failed): boolean => fault.reason === 'already-exists'

export const accessOf = <AccessType>(accessType: AccessType | undefined) =>
  accessType === undefined ? { inheritFromParent: true } : { accessType }
