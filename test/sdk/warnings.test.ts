/** Warnings of calls that succeed, in the client. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { createClient, type Warning } from '#sdk/index.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()

it('a warning of a call is passed to onWarning, with the name of the call', async () => {
  const { headers } = await server.newKey()
  const warned: [warning: Warning, call: string][] = []
  const client = createClient({
    url: server.url,
    apiKey: headers['x-service-api-key'] ?? '',
    authToken: headers['x-service-auth-token'] ?? '',
    onWarning: (...warning) => warned.push(warning),
  })
  await client.emailConfig.update({ useEmailService: false })
  assert.equal(warned.length, 0)
  await client.emailConfig.update({ useEmailService: true })
  assert.equal(warned[0]?.[0].code, 'no_mail_is_sent')
  assert.match(warned[0]?.[0].message ?? '', /no mail is sent/)
  assert.equal(warned[0]?.[1], 'emailConfig.update')
})
