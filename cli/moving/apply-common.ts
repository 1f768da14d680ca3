/** Helpers that several kinds of record share when they are written. */
import type { KeyedCallOptions } from '#sdk/options.ts'
import type { Batch, Failed, Item } from './batches.ts'
import type { DataKind, OneRecord } from './records.ts'

export type Options = KeyedCallOptions
export type ItemOf<Kind extends DataKind> = Item<OneRecord<Kind>>
export type Send<Kind extends DataKind> = Batch<ItemOf<Kind>>['send']

export const organizationOf = ({ record }: ItemOf<'folder' | 'document' | 'userGroup' | 'userGroupUser'>): string =>
  record.organizationId

/** Whether an item could not be added because it exists already. */
export const alreadyExists = ({ fault }: Failed): boolean => fault.reason === 'already-exists'

export const accessOf = <AccessType>(accessType: AccessType | undefined) =>
  accessType === undefined ? { inheritFromParent: true } : { accessType }
