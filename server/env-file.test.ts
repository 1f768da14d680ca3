/** Names in `.env` that are probably misspelt settings. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { misspelt, variablesIn } from './env-file.ts'

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

it('is refused unless it is UTF-8, because settings would be lost or changed', () => {
  const text = 'PORT=8081\nMAIL_FROM=café@example.com\n'
  assert.equal(variablesIn(Buffer.from(`\ufeff${text}`)).PORT, '8081')
  const refused: [Buffer, RegExp][] = [
    [
      Buffer.from(text, 'latin1'),
      /^\.env cannot be read: in line 2, its byte 14 is 0xe9, which is not UTF-8\. Save it as UTF-8\.$/,
    ],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), /it is UTF-16, not UTF-8/],
    [Buffer.from(text, 'utf16le'), /line 1 has a NUL byte; is it UTF-16\?/],
  ]
  for (const [bytes, message] of refused) assert.throws(() => variablesIn(bytes), { message })
})
