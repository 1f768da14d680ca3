/** Runs an import as a separate process, which can be killed; resumes an interrupted one. */
import { existsSync } from 'node:fs'
import { createClient } from '#testing/client.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { type CsvKind, csvEntries } from '../../cli/moving/files/csv.ts'
import { stateFileOf } from '../../cli/moving/import/import-file.ts'
import { importFrom } from './files.ts'

const [file = '', url = '', headers = '{}', csv] = process.argv.slice(2)
process.stdout.write('begins\n')
const { failed, cutOff } = await importFrom(file, apiKeyClient(url, createClient(url, JSON.parse(headers))), {
  resume: existsSync(stateFileOf(file)),
  portion: { records: 5, bytes: 100_000 },
  ...(csv === undefined ? {} : { entriesOf: (input, after) => csvEntries(input, csv as CsvKind, after) }),
})
process.exitCode = failed > 0 || cutOff !== undefined ? 1 : 0
