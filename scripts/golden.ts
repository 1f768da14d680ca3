/**
 * Generates the committed files that are derived from the code: the API description, the schema, every SQL statement,
 * the statements that would need two databases, the reference pages, the code on pages that comes from files, and the
 * generated parts of the client and the console. `npm run golden` compares them with the committed files,
 * `npm run golden -- --write` overwrites those.
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
import { clientFiles } from './generated/client.ts'
import { CONSOLE_FILES } from './generated/console-files.ts'
import { databasesPage } from './generated/databases-page.ts'
import { withEmbeddedFiles } from './generated/embedded-files.ts'
import { REFERENCE_PAGES } from './generated/reference.ts'
import { schemaAsSql } from './generated/schema.ts'
import { ROOT } from './root.ts'

/** Pages that are written by hand and show files. */
const PAGES_WITH_FILES = ['docs/guides/check-in-your-framework.md']

export const HOW_TO_ACCEPT = 'accept the change with: npm run golden -- --write, and commit the difference'

/** Generates every golden file; returns their texts by path. */
export async function goldenFiles(): Promise<Map<string, string>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-golden-'))
  const db = await openEmbedded(folder, databaseClock, templateFolder())
  try {
    await migrate(db)
    return new Map([
      ['docs/reference/openapi.json', json(await openApi(db))],
      ['db/schema.sql', await schemaAsSql(db)],
      ['test/golden/statements.sql', await statementTexts()],
      ['test/golden/databases.txt', databasesPage(await exportedStatements())],
      ...Object.entries(REFERENCE_PAGES).map(([name, make]): [string, string] => [`docs/reference/${name}`, make()]),
      ...PAGES_WITH_FILES.map((page): [string, string] => [page, withEmbeddedFiles(page)]),
      ...Object.entries(await clientFiles()).map(([name, text]): [string, string] => [`sdk/generated/${name}`, text]),
      ...Object.entries(CONSOLE_FILES).map(([name, make]): [string, string] => [
        `console/src/generated/${name}`,
        make(),
      ]),
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

const isStatement = (value: unknown): value is Statement<unknown> =>
  typeof value === 'object' && value !== null && 'text' in value && 'name' in value && typeof value.text === 'string'

/** Returns every exported statement of the server, sorted by name. */
export async function exportedStatements(): Promise<(Statement<unknown> & { file: string })[]> {
  const found: (Statement<unknown> & { file: string })[] = []
  for (const file of globSync(['server/due-work.ts', 'server/{features,tenancy,platform,buckets,master-key}/**/*.ts'], {
    cwd: ROOT,
    exclude: (file) => isTest(file) || isShared(file) || isThread(file),
  })) {
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
/** This file has no statements of its own. */
const isShared = (file: string): boolean => path.basename(file) === 'shared.ts'
/** Importing this file starts an engine: that takes four seconds of CPU, and its memory for as long as the process lives. */
const isThread = (file: string): boolean => file.endsWith('-thread.ts')

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
