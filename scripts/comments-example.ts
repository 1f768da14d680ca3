/**
 * `npm run comments`: runs the example of comments with an empty server of its own, which is removed at the end. Puts the
 * packages of the client and the web components into the example, as `npm install` would.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '#testing/processes/free-port.ts'
import { credentialsOf } from '../cli/connection/dev-data.ts'
import { exitOf, startDevServer } from '../cli/connection/server-process.ts'
import { compileClient } from './client-package.ts'
import { buildComponents } from './comments-package.ts'
import { ROOT } from './root.ts'

const EXAMPLE = path.join(ROOT, 'examples/comments')

async function install(source: string, build: (dist: string) => void | Promise<void>): Promise<void> {
  const folder = path.join(EXAMPLE, 'node_modules/@commonhold', source === 'sdk' ? 'client' : 'comments')
  rmSync(folder, { recursive: true, force: true })
  await build(path.join(folder, 'dist'))
  copyFileSync(path.join(ROOT, source, 'package.json'), path.join(folder, 'package.json'))
}

await install('sdk', compileClient)
await install('components', buildComponents)
const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-comments-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const MAIL_PORT = String(await freePort())
const settings = {
  DATA_DIR: path.join(folder, 'data'),
  LOG_LEVEL: 'error',
  SIGNUP: 'open',
  SMTP_URL: `smtp://127.0.0.1:${MAIL_PORT}`,
  MAIL_FROM: 'no-reply@acme.example',
}
const server = await startDevServer(settings, folder)
const app = spawn(process.execPath, ['main.ts'], {
  cwd: EXAMPLE,
  env: { ...process.env, ...(await credentialsOf(server.url, folder)), MAIL_PORT },
  stdio: 'inherit',
})
// Ctrl-C reaches the app too; the server is stopped after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.kill(signal))
const { code } = await exitOf(app)
await server.stop()
process.exitCode = code ?? 0
