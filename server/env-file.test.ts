/** Names in `.env` that are probably misspelt settings. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { misspelt } from './env-file.ts'

it('are reported with the setting that was meant', () => {
  const meant = {
    DATABSE_URL: 'DATABASE_URL',
    MASTERKEY: 'MASTER_KEY',
    SIGNUP_TOKN: 'SIGNUP_TOKEN',
    data_dir: 'DATA_DIR',
  }
  for (const [name, setting] of Object.entries(meant))
    assert.deepEqual(misspelt([name]), [`.env sets ${name}, which is no setting; did you mean ${setting}?`])
})

it('are neither settings nor names for other programs', () => {
  assert.deepEqual(
    misspelt(['DATABASE_URL', 'PORT', 'COMMONHOLD_URL', 'POSTGRES_PASSWORD', 'NODE_ENV', 'HOME', 'POST']),
    [],
  )
})
