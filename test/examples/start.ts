/** Starts an example of `examples/` in a folder of its own, with a gate between it and a server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { request } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '#sdk/index.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'
import { type Gate, startGate } from './gate.ts'

const START_MS_MAX = patient(60_000)
/** Files that copies of an example omit: packages and build results. */
const INSTALLED = /^(?:node_modules|\.next|\.venv|__pycache__|.*\.tgz)$/

export interface Example {
  url: string
  gate: Gate
  /** The environment of the shell that the README of the example opens. */
  shell: Record<string, string>
  /** A client of the server that the example asks. */
  commonhold: Client
  /** Sends a request with exactly this path, even if no browser would send it. */
  send(method: 'GET' | 'PUT', path: string, user?: string): Promise<{ status: number; body: string }>
}

/** Copies an example into an empty folder, which is removed after the file. */
export function copyOf(example: string): string {
  const folder = temporaryFolder()
  const filter = (file: string) => !INSTALLED.test(path.basename(file))
  cpSync(path.join(ROOT, 'examples', example), folder, { recursive: true, filter })
  return folder
}

/**
 * Installs the packages of an example as its README says; packs `packages` and installs them too. Returns the reason if
 * that is impossible here.
 */
export async function npmInstall(folder: string, packages: readonly string[] = ['sdk']): Promise<string | undefined> {
  const quietly = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }
  const env = {
    ...process.env,
    ...quietly,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  }
  const packed: string[] = []
  for (const source of packages) {
    const packing = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: path.join(ROOT, source),
      env,
    })
    const [{ filename }] = JSON.parse(packing.stdout.slice(packing.stdout.indexOf('[')))
    packed.push(`./${filename}`)
  }
  return whyMissing('the npm registry', run('npm', ['install', '--no-save', ...packed], { cwd: folder, env }))
}

/**
 * Starts the process of an example on a free port, which it must print, and waits until it responds. It ends with the
 * file.
 */
export async function startExample(folder: string, command: string, ...args: string[]): Promise<Example> {
  const server = await sharedServer()
  const { headers } = await server.newKey()
  const { 'x-service-api-key': apiKey = '', 'x-service-auth-token': authToken = '' } = headers
  const gate = await startGate(server.url)
  const shell = {
    PATH: process.env.PATH ?? '',
    HOME: os.tmpdir(),
    NEXT_TELEMETRY_DISABLED: '1',
    COMMONHOLD_URL: gate.url,
    COMMONHOLD_PUBLIC_URL: server.url,
    COMMONHOLD_API_KEY: apiKey,
    COMMONHOLD_AUTH_TOKEN: authToken,
  }
  const child = spawn(command, args, { cwd: folder, env: { ...shell, PORT: '0' } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  const exited = once(child, 'close')
  cleanUp(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const deadline = Date.now() + START_MS_MAX
  for (;;) {
    const port = /http:\/\/(?:127\.0\.0\.1|localhost):([1-9]\d*)/.exec(output)?.[1]
    const send: Example['send'] = (method, path, user) => sendTo(Number(port), method, path, user)
    if (port !== undefined && (await isListening(send))) {
      const commonhold = createClient({ url: server.url, apiKey, authToken })
      return { url: `http://127.0.0.1:${port}`, gate, shell, commonhold, send }
    }
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the example did not start:\n${output}`)
    await sleep(20)
  }
}

const isListening = (send: Example['send']): Promise<boolean> =>
  send('GET', '/').then(
    () => true,
    () => false,
  )

/** `fetch` would normalize the path. */
async function sendTo(port: number, method: string, path: string, user?: string) {
  const headers = user === undefined ? {} : { 'x-demo-user': user }
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }).end()
  const [response] = await once(sent, 'response')
  return { status: response.statusCode as number, body: await text(response) }
}
