/**
 * The files that are made from the code and committed: the API description, the schema, every SQL text and those that reach beyond an organization,
 * the reference pages, and the generated parts of the client and the console. `npm run golden` compares them, `npm run golden -- --write` accepts what changed.
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
import { CONSOLE_FILES } from './console-files.ts'
import { REFERENCE_PAGES } from './reference.ts'
import { schemaAsSql } from './schema.ts'
import { sharedStatements } from './shared-statements.ts'

const ROOT = path.join(import.meta.dirname, '..')

export const HOW_TO_ACCEPT = 'accept the change with: npm run golden -- --write, and commit the difference'

/** Every golden file under its path, as the code makes it now. */
export async function goldenFiles(): Promise<Map<string, string>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-golden-'))
  const db = await openEmbedded(folder, databaseClock, templateFolder())
  try {
    await migrate(db)
    return new Map([
      ['test/golden/openapi.json', json(await openApi(db))],
      ['db/schema.sql', await schemaAsSql(db)],
      ['test/golden/statements.sql', await statementTexts()],
      ['test/golden/shared-statements.txt', sharedStatements(await exportedStatements())],
      ...Object.entries(REFERENCE_PAGES).map(([name, make]): [string, string] => [`docs/reference/${name}`, make()]),
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

/** The paths whose committed text is not what the code makes. */
export function differing(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([file, text]) => committed(file) !== text).map(([file]) => file)
}

function committed(file: string): string | undefined {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8')
  } catch {
    return undefined // not there yet
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
    const answer = await app.http.inject('/openapi.json')
    return answer.json()
  } finally {
    await app.stop()
  }
}

const isStatement = (value: unknown): value is Statement<unknown> =>
  typeof value === 'object' && value !== null && 'text' in value && 'name' in value && typeof value.text === 'string'

/** Every exported statement of the server, by name. */
export async function exportedStatements(): Promise<(Statement<unknown> & { file: string })[]> {
  const found: (Statement<unknown> & { file: string })[] = []
  for (const file of globSync('server/{features,tenancy,platform}/**/*.ts', {
    cwd: ROOT,
    exclude: (file) => isTest(file) || isShared(file),
  })) {
    const module: Record<string, unknown> = await import(path.join(ROOT, file))
    for (const value of Object.values(module).flatMap(among))
      if (isStatement(value)) found.push({ ...value, file: file.replaceAll('\\', '/') })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What is exported alone, or in a table of statements. */
const among = (value: unknown): unknown[] =>
  typeof value !== 'object' || value === null || isStatement(value) ? [value] : Object.values(value)

const isTest = (file: string): boolean => file.endsWith('.test.ts')
/** Has no statements of its own. */
const isShared = (file: string): boolean => path.basename(file) === 'shared.ts'

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
  if (changed.length === 0) process.stdout.write('The golden files are what the code makes.\n')
  else if (!write) {
    process.stdout.write(`\nIf this is meant, ${HOW_TO_ACCEPT}.\n`)
    process.exitCode = 1
  }
}
