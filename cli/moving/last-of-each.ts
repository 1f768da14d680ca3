/** Several records of one thing in one portion: the last counts, as if they had been written one after the other. */
import type { Item } from './calls.ts'
import type { DataRecord } from './records.ts'

/** The last of several records of one thing; the others are done with. */
export function lastOfEach(
  items: readonly Item[],
  onDone: (items: readonly Item[], failed: readonly never[]) => void,
): Item[] {
  const last = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item.record)
    const before = last.get(name)
    if (before !== undefined) onDone([before], [])
    last.delete(name)
    last.set(name, item)
  }
  return [...last.values()]
}

function nameOf(record: DataRecord): string {
  switch (record.record) {
    case 'settings':
      return ''
    case 'domain':
      return record.domain
    case 'user':
      return record.userId
    case 'organization':
      return record.organizationId
    case 'folder':
      return named(record.organizationId, record.folderId)
    case 'document':
      return named(record.organizationId, record.documentId)
    case 'grant':
      return named(record.organizationId ?? '', record.type, record.id, record.userId)
    case 'userGroup':
      return named(record.organizationId, record.groupId)
    case 'userGroupUser':
      return named(record.organizationId, record.groupId, record.userId)
  }
}

/** One text for several, different where one of them is. */
const named = (...texts: readonly string[]): string => texts.map((text) => `${text.length} ${text}`).join('')
