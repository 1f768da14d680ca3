/** The declared list of tables matches the catalog, and deletions change every table as declared. */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { TABLES, type Table, type TableName, tablesWhere } from '#tenancy/tables.ts'
import { createStore } from '#testing/server.ts'
import { exportedStatements } from '../../scripts/golden.ts'

interface ForeignKey {
  table: TableName
  to: TableName
  cascades: boolean
}

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})
const rowsOf = async <Row>(query: string) => (await db.query(query)).rows as Row[]

const columns = await rowsOf<{ table: string; column: string }>(
  `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = 'public'`,
)
const foreignKeys = await rowsOf<ForeignKey>(
  `select conrelid::regclass::text as "table", confrelid::regclass::text as "to", confdeltype = 'c' as cascades
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
)
const statements = await exportedStatements()

/**
 * Tables whose rows outlive a membership: history, pending items, comments of the member, and the member's
 * notifications and preferences.
 */
const OUTLIVE: ReadonlySet<string> = new Set([
  ...['invitations', 'thread_users'],
  ...[
    'notifications',
    'notification_recipients',
    'notification_preferences',
    'comment_mail_items',
    'comment_mail_results',
  ],
])

const all = tablesWhere(() => true)
const declared = Object.entries<Table>(TABLES)
const declares = (name: string, what: keyof Table) => (TABLES as Record<string, Table>)[name]?.[what] !== undefined
const tablesWith = (...names: string[]): string[] => [
  ...new Set(columns.flatMap(({ table, column }) => (names.includes(column) ? [table] : []))),
]

/** Returns the tables that none of the named statements changes with `verb`. */
function untouched(names: readonly TableName[], verb: 'delete from' | 'update', statement: RegExp): TableName[] {
  const texts = statements.filter(({ name }) => statement.test(name)).map(({ text }) => text)
  return names.filter((table) => !texts.some((text) => new RegExp(`\\b${verb} ${table}\\b`).test(text)))
}

describe('the list of tables', () => {
  it('has every table of the catalog, and no other', () => {
    assert.deepEqual([...all].sort(), [...new Set(columns.map(({ table }) => table))].sort())
  })

  it('lists a table before those that its foreign keys refer to', () => {
    const late = foreignKeys.filter(({ table, to }) => all.indexOf(table) > all.indexOf(to))
    assert.deepEqual(late, [])
  })

  it('declares the effect of deleting an API key, an organization and a user on every table with their rows', () => {
    const silent = [
      ...tablesWith('api_key_id', 'organization_key', 'endpoint_key').filter((name) => !declares(name, 'apiKey')),
      ...tablesWith('organization_key').filter((name) => !declares(name, 'organization')),
      ...tablesWith('user_id', 'user_ids').filter((name) => !declares(name, 'user')),
    ]
    assert.deepEqual(silent, [])
  })

  it('assigns a table to organizations if its rows name the organization or its stream', () => {
    assert.deepEqual(
      tablesWhere(({ belongsTo }) => belongsTo === 'organization').sort(),
      [...tablesWith('organization_key'), 'events'].sort(),
    )
  })

  for (const what of ['apiKey', 'organization'] as const)
    it(`declares a cascade (${what}) only if a foreign key refers to rows that are deleted`, () => {
      const leads = ({ to }: ForeignKey) => ['deleted', 'cascades'].includes((TABLES[to] as Table)[what] ?? '')
      const dangling = declared.flatMap(([name, table]) => {
        const keys = foreignKeys.filter((key) => key.table === name && key.cascades)
        return table[what] === 'cascades' && !keys.some(leads) ? [name] : []
      })
      assert.deepEqual(dangling, [])
    })

  it('matches the statements', () => {
    const fated = (what: 'apiKey' | 'organization' | 'user', fate: string) =>
      tablesWhere((table) => table[what] === fate)
    const inOrganizations = tablesWhere(({ belongsTo, user }) => belongsTo === 'organization' && user === 'deleted')
    assert.deepEqual(
      [
        ...untouched(fated('apiKey', 'deleted'), 'delete from', /^api-keys\.delete/),
        ...untouched(fated('organization', 'deleted'), 'delete from', /^organizations\.delete$/),
        ...untouched(fated('organization', 'emptied'), 'update', /^organizations\.delete$/),
        ...untouched(fated('user', 'deleted'), 'delete from', /^(?:user-data\.|disabled-users\.delete$)/),
        ...untouched(fated('user', 'emptied'), 'update', /^user-data\./),
        ...untouched(inOrganizations, 'delete from', /^users\.delete$/).filter((table) => !OUTLIVE.has(table)),
      ],
      [],
    )
  })
})
