/** Sets everything up and starts the app on `PORT`, 3000 by default, and its mailbox on `MAIL_PORT`, for this machine alone. */
import type { AddressInfo } from 'node:net'
import { createClient } from '@commonhold/client'
import { createApp } from './app.ts'
import { openMailbox } from './mailbox.ts'
import { setUp } from './set-up.ts'

const { COMMONHOLD_URL: url = '', COMMONHOLD_API_KEY: apiKey = '', COMMONHOLD_AUTH_TOKEN: authToken = '' } = process.env
const { PORT = '3000', MAIL_PORT } = process.env

const commonhold = createClient({ url, apiKey, authToken })
await setUp(commonhold)
const mails = MAIL_PORT === undefined ? [] : openMailbox(Number(MAIL_PORT))
const app = createApp(commonhold, url, mails).listen(Number(PORT), '127.0.0.1', () => {
  const { port } = app.address() as AddressInfo
  console.log(`Open http://127.0.0.1:${port} in three browsers, as Ada, Bob and Cyd. Ctrl-C ends it.`)
})
