/** The app: it serves the page, and a token to whoever is signed in. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Client } from '@commonhold/client'
import type { Mail } from './mailbox.ts'
import { documentPage, mailsPage, pageProgram, signInPage } from './pages.ts'
import { PEOPLE, userOf } from './session.ts'

const components = readFileSync(fileURLToPath(import.meta.resolve('@commonhold/comments')))

/** `url` is the address of Commonhold as browsers reach it. */
export function createApp(commonhold: Client, url: string, mails: readonly Mail[]): Server {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://app')
    const user = userOf(request)
    const send = (type: string, body: string | Uint8Array, status = 200): void => {
      response
        .writeHead(status, { 'content-type': `text/${type}; charset=utf-8`, 'cache-control': 'no-store' })
        .end(body)
    }
    const signIn = (id: string): void => {
      const cookie = `person=${id}; Path=/; HttpOnly; SameSite=Lax`
      response.writeHead(303, { location: '/', 'set-cookie': cookie }).end()
    }
    const [, person] = /^\/sign-in\/(\w+)$/.exec(pathname) ?? []
    if (person !== undefined) return signIn(person)
    if (pathname === '/sign-out') return signIn('')
    if (pathname === '/page.js') return send('javascript', pageProgram(url))
    if (pathname === '/commonhold-comments.js') return send('javascript', components)
    if (pathname === '/mails') return send('html', mailsPage(mails))
    if (user === undefined) return send('html', signInPage(), pathname === '/' ? 200 : 401)
    if (pathname === '/') return send('html', documentPage(user))
    if (pathname === '/commonhold-token' && request.method === 'POST') {
      const { name, email } = PEOPLE[user]
      const { token } = await commonhold.userTokens.generate({ userId: user, userProperties: { name, email } })
      return send('plain', token)
    }
    send('plain', 'Not found', 404)
  }

  return createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error)
      if (!response.headersSent) response.writeHead(503)
      response.end()
    })
  })
}
