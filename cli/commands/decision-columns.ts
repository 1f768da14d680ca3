/** How decisions are shown in tables. */
import { column, type Format, resource, seconds } from '../table.ts'
import { plain } from '../terminal.ts'

/** The resource that gives access, and the group if its grant does. */
export const via: Format = (value) => {
  const { group } = (value ?? {}) as { group?: string }
  return group === undefined ? resource(value) : `${resource(value)} by ${plain(`group:${group}`)}`
}

export const DECISION_COLUMNS = [
  column('ROLE', 'accessRole'),
  column('REASON'),
  column('VIA', 'via', via),
  column('EXPIRES', 'expiresAt', seconds),
]
