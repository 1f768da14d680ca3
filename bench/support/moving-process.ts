/** Runs an import or an export as a separate process, and reports its time, CPU time and memory. */

import { exportKey } from '#moving/export/export.ts'
import { exportEntries } from '#moving/files/entries.ts'
import { createClient } from '#sdk/index.ts'
import { toFile } from '../../cli/moving/export/export-file.ts'
import { importFile } from '../../cli/moving/import/import-file.ts'

const [what = '', file = '', url = '', apiKey = '', authToken = ''] = process.argv.slice(2)
const client = createClient({ url, apiKey, authToken })
const started = performance.now()
let failed = 0
if (what === 'export') {
  const { write, end } = toFile(file)
  await exportKey(client, { write })
  await end()
} else {
  const imported = await importFile({
    file,
    target: `${url} ${apiKey}`,
    entriesOf: (input, after) => exportEntries(input, 'apiKey', after),
    clientOf: async () => client,
  })
  failed = imported.failed + (imported.cutOff === undefined ? 0 : 1)
}
const seconds = (performance.now() - started) / 1000
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
const memoryMb = Math.round(maxRSS / 1024)
process.stdout.write(JSON.stringify({ seconds, failed, memoryMb, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }))
