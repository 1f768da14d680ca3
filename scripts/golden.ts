/**
 * Generates the files that are derived from the code and committed: the API description, the database catalog, every SQL
 * statement, the reference pages, and the generated part of the client. `npm run golden` compares them with the committed
 * files, `npm run golden -- --write` overwrites those.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import type { Statement } from '#platform/db/statement.ts'
import { templateFolder } from '#platform/db/template.ts'
import { createLog } from '#platform/log.ts'
import { buildApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { clientFiles } from './client.ts'
import { REFERENCE_PAGES } from './reference.ts'
import { ROOT } from './root.ts'

export const HOW_TO_ACCEPT = 'accept the change with: npm run golden -- --write, and commit the difference'

/** Generates every golden file; returns their texts by path. */
export async function goldenFiles(): Promise<Map<string, string>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-golden-'))
  const db = await openEmbedded(folder, databaseClock, templateFolder())
  try {
    await migrate(db)
    return new Map([
      ['test/golden/openapi.json', json(await openApi(db))],
      ['test/golden/schema.json', json(await catalog(db))],
      ['test/golden/statements.sql', await statementTexts()],
      ...Object.entries(REFERENCE_PAGES).map(([name, make]): [string, string] => [`docs/reference/${name}`, make()]),
      ...Object.entries(await clientFiles()).map(([name, text]): [string, string] => [`sdk/generated/${name}`, text]),
    ])
  } finally {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the paths of files that differ from the committed ones. */
function differing(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([file, text]) => committed(file) !== text).map(([file]) => file)
}

function committed(file: string): string | undefined {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8')
  } catch {
    return undefined // a new file
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

async function openApi(db: Db): Promise<unknown> {
  const app = await buildApp({
    config: readConfig({}),
    masterKey: Buffer.alloc(32),
    db,
    log: createLog('silent'),
  })
  try {
    const response = await app.http.inject('/openapi.json')
    return response.json()
  } finally {
    await app.stop()
  }
}

const TABLES = `
  select c.relname as "table",
         (select jsonb_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
                                     case when co.collname <> 'default' then 'collate ' || co.collname end,
                                     case when a.attnotnull then 'not null' end,
                                     'default ' || pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
            from pg_attribute a
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            left join pg_collation co on co.oid = a.attcollation
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select jsonb_agg(con.conname || ': ' || pg_get_constraintdef(con.oid) order by con.conname)
            from pg_constraint con where con.conrelid = c.oid and con.contype <> 'n') as constraints,
         (select jsonb_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text)
            from pg_index i where i.indrelid = c.oid) as indexes,
         c.reloptions as options
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
   order by c.relname`

const TYPES = `
  select t.typname as type, (select jsonb_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid) as values
    from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'e' order by t.typname`

/** Returns the schema, except that of the job queue, which belongs to its package. Not-null constraints are listed with their columns. */
async function catalog(db: Db): Promise<object> {
  return { types: (await db.query(TYPES)).rows, tables: (await db.query(TABLES)).rows }
}

const isStatement = (value: unknown): value is Statement<unknown> =>
  typeof value === 'object' && value !== null && 'text' in value && 'name' in value && typeof value.text === 'string'

/** Returns every exported statement of the server, sorted by name. */
export async function exportedStatements(): Promise<(Statement<unknown> & { file: string })[]> {
  const found: (Statement<unknown> & { file: string })[] = []
  for (const file of globSync('server/{features,tenancy,platform}/**/*.ts', { cwd: ROOT, exclude: isTest })) {
    const module: Record<string, unknown> = await import(path.join(ROOT, file))
    for (const value of Object.values(module).flatMap(flattened))
      if (isStatement(value)) found.push({ ...value, file: file.replaceAll('\\', '/') })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns an export as a list: a table of statements has several. */
const flattened = (value: unknown): unknown[] =>
  typeof value !== 'object' || value === null || isStatement(value) ? [value] : Object.values(value)

const isTest = (file: string): boolean => file.endsWith('.test.ts')

async function statementTexts(): Promise<string> {
  const statements = await exportedStatements()
  return statements.map(({ name, file, text }) => `-- ${name} (${file})\n${text.trim()};\n`).join('\n')
}

if (import.meta.main) {
  const files = await goldenFiles()
  const changed = differing(files)
  const write = process.argv.includes('--write')
  if (write)
    for (const file of changed) {
      mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true })
      writeFileSync(path.join(ROOT, file), files.get(file) ?? '')
    }
  const verb = write ? 'wrote' : 'differs:'
  for (const file of changed) process.stdout.write(`${verb} ${file}\n`)
  if (changed.length === 0) process.stdout.write('The golden files are up to date.\n')
  else if (!write) {
    process.stdout.write(`\nIf this is intended, ${HOW_TO_ACCEPT}.\n`)
    process.exitCode = 1
  }
}
