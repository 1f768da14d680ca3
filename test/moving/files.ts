/** Export and import with real files, for tests. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { exportKey } from '#moving/export/export.ts'
import { exportEntries } from '#moving/files/entries.ts'
import type { Client } from '#sdk/index.ts'
import { toFile } from '../../cli/moving/export/export-file.ts'
import { type FileImported, type FileImportOptions, importFile } from '../../cli/moving/import/import-file.ts'

/** Exports to a file and returns its content. */
export async function exportTo(file: string, client: Client): Promise<string> {
  await exportInto(file, client)
  return readFileSync(file, 'utf8')
}

export async function exportInto(file: string, client: Client): Promise<void> {
  const { write, end } = toFile(file)
  await exportKey(client, { write })
  await end()
}

/** Imports an export of one API key. */
export const importFrom = (
  file: string,
  client: Client,
  options: Partial<FileImportOptions> = {},
): Promise<FileImported> =>
  importFile({
    file,
    target: 'the target',
    entriesOf: (input, after) => exportEntries(input, 'apiKey', after),
    clientOf: async () => client,
    ...options,
  })

/** Imports every line; none may fail. */
export async function importWhole(file: string, client: Client, options: Partial<FileImportOptions> = {}) {
  const imported = await importFrom(file, client, options)
  const errors = imported.errorsFile === undefined ? '' : readFileSync(imported.errorsFile, 'utf8')
  assert.deepEqual([imported.failed, errors, imported.cutOff], [0, '', undefined])
  return imported
}

const HEADER = { record: 'export', format: 1, of: 'apiKey' }

export function writeExport(file: string, records: readonly object[]): void {
  const lines = [HEADER, ...records, { record: 'end', records: records.length }]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

export const faultsIn = (file: string | undefined): { line: number; reason: string; message: string }[] =>
  file === undefined
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
