/**
 * For tests that run on Node: a Commonhold of their own, and an API key, which is a data set, for each of them. It is
 * started with `commonhold dev`, so the package `commonhold` must be installed; inside of a command of `commonhold dev`
 * the server that is there is used.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Client, createClient, createWorkspaceClient } from './client.ts'

export interface TestServerOptions {
  /** Lets time stand still, at first here; `setTime` moves it. `2030-01-31T12:00:00Z`. Default: time goes on. */
  clock?: string
  /** The program to start. Default: that of the package `commonhold` that is installed here. */
  program?: string
}

export interface TestServer {
  readonly url: string
  readonly workspaceId: string
  readonly workspaceToken: string
  /** A new API key with nothing in it. */
  newKey(): Promise<TestKey>
  /** Where time stands still from now on; only with `clock`. */
  setTime(time: string): Promise<void>
  /** Ends it, and forgets everything. It ends with this process too. */
  stop(): Promise<void>
}

export interface TestKey {
  readonly client: Client
  readonly apiKey: string
  readonly authToken: string
  /** Deletes the key with everything in it. */
  remove(): Promise<void>
}

interface Credentials {
  COMMONHOLD_URL: string
  COMMONHOLD_WORKSPACE_ID: string
  COMMONHOLD_WORKSPACE_TOKEN: string
}

const OWNER = 'test@example.com'

/** Starts a server, which takes about a second: one for a file of tests, or for all of them. */
export async function startTestServer({ clock, program }: TestServerOptions = {}): Promise<TestServer> {
  const { COMMONHOLD_DEV, COMMONHOLD_URL, COMMONHOLD_WORKSPACE_ID, COMMONHOLD_WORKSPACE_TOKEN } = process.env
  const isThere = COMMONHOLD_DEV === 'true' && COMMONHOLD_URL && COMMONHOLD_WORKSPACE_ID && COMMONHOLD_WORKSPACE_TOKEN
  if (isThere && clock === undefined && program === undefined)
    return serverWith({ COMMONHOLD_URL, COMMONHOLD_WORKSPACE_ID, COMMONHOLD_WORKSPACE_TOKEN }, noClock, async () => {})
  const args = [program ?? programInstalled(), 'dev', '--json', ...(clock === undefined ? [] : ['--clock', clock])]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = linesOf(child.stdout)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const answer = async (): Promise<string> => {
    const line = await Promise.race([lines(), ended.then(() => undefined)])
    if (line === undefined) throw new Error(`commonhold dev ended: ${said.trim()}`)
    return line
  }
  const first = await answer()
  // Nothing of it keeps this process; when that ends, the pipe closes, and it ends too.
  for (const part of [child, child.stdin, child.stdout, child.stderr] as { unref?(): void }[]) part.unref?.()
  const setTime = async (time: string) => {
    child.ref() // a program that waits for this alone goes on
    child.stdin.write(`${JSON.stringify({ clock: new Date(time).toISOString() })}\n`)
    await answer()
    child.unref()
  }
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await ended
  }
  return serverWith(JSON.parse(first), clock === undefined ? noClock : setTime, stop)
}

async function noClock(): Promise<never> {
  throw new TypeError('startTestServer was called without clock: time goes on')
}

function serverWith(credentials: Credentials, setTime: TestServer['setTime'], stop: TestServer['stop']): TestServer {
  const {
    COMMONHOLD_URL: url,
    COMMONHOLD_WORKSPACE_ID: workspaceId,
    COMMONHOLD_WORKSPACE_TOKEN: workspaceToken,
  } = credentials
  const owner = createWorkspaceClient({ url, workspaceId, workspaceToken })
  let keys = 0
  return {
    url,
    workspaceId,
    workspaceToken,
    setTime,
    stop,
    async newKey() {
      const apiKeyName = `test ${process.pid} ${++keys}`
      const made = await owner.apiKeys.create({ ownerEmail: OWNER, apiKeyName, type: 'testing', createAuthToken: true })
      const { apiKey, authToken = '' } = made
      return {
        client: createClient({ url, apiKey, authToken }),
        apiKey,
        authToken,
        remove: async () => {
          await owner.apiKeys.delete({ apiKey, apiKeyName })
        },
      }
    },
  }
}

/** That of the project that the tests are of. */
function programInstalled(): string {
  try {
    return join(
      dirname(createRequire(join(process.cwd(), 'package.json')).resolve('commonhold/package.json')),
      'cli.js',
    )
  } catch (cause) {
    throw new Error('The package commonhold is not installed here: npm install --save-dev commonhold', { cause })
  }
}

/** Answers one line after the other. */
function linesOf(stream: NodeJS.ReadableStream): () => Promise<string> {
  let text = ''
  let waiting: ((line: string) => void) | undefined
  const look = () => {
    const end = text.indexOf('\n')
    if (end === -1 || waiting === undefined) return
    const give = waiting
    waiting = undefined
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    give(line)
  }
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
    look()
  })
  return () =>
    new Promise((resolve) => {
      waiting = resolve
      look()
    })
}
