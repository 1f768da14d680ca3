/** Runs an import or an export as a separate process. */
import assert from 'node:assert/strict'
import { createClient } from '#testing/client.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { exportInto, importWhole } from './files.ts'

const [what = '', file = '', url = '', headers = '{}'] = process.argv.slice(2)
const client = apiKeyClient(url, createClient(url, JSON.parse(headers)))
if (what === 'import') await importWhole(file, client)
else if (what === 'export') await exportInto(file, client)
else assert.fail(what)
