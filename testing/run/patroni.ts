/**
 * Runs a cluster of two PostgreSQL servers that Patroni manages: the program in `PATRONI`, with the etcd and the PostgreSQL of
 * this machine (`ETCD_PATH`, `POSTGRES_BINARIES`, or where Debian has them).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { cleanUp } from '../clean-up.ts'
import { eventually, until } from '../eventually.ts'
import { freePort } from '../processes/free-port.ts'
import { patient } from './mode.ts'
import { serverUser } from './postgres.ts'
import { signalServer } from './replicas.ts'
import { scratch } from './scratch.ts'

const PROGRAM = process.env.PATRONI ?? ''
const ETCD = process.env.ETCD_PATH ?? '/usr/bin/etcd'
const BINARIES = process.env.POSTGRES_BINARIES ?? '/usr/lib/postgresql/15/bin'
const PROGRAMS = [PROGRAM, ETCD, path.join(BINARIES, 'postgres')]

const versionOf = (program: string) => execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''

/** The versions under test; undefined if one of the programs is missing. */
export const PATRONI: string | undefined = PROGRAMS.every((program) => existsSync(program))
  ? PROGRAMS.map(versionOf).join(', ')
  : undefined

/** The shortest times that Patroni allows: a leader that is silent for `ttl` seconds is replaced. */
const TIMING = { ttl: 20, loop_wait: 1, retry_timeout: 3 }

interface Member {
  name: string
  role: string
  state: string
}

class PatroniNode {
  readonly name: string
  readonly port: number
  readonly rest: string
  readonly #file: string
  readonly #data: string
  #patroni: ChildProcess | undefined

  constructor(name: string, port: number, rest: string, file: string, data: string) {
    this.name = name
    this.port = port
    this.rest = rest
    this.#file = file
    this.#data = data
  }

  start(): void {
    this.#patroni = spawn(PROGRAM, [this.#file], { ...serverUser(), stdio: 'ignore' })
  }

  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${this.port}/postgres` })
    client.on('error', () => {})
    await client.connect()
    return client
      .query(text, values)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }

  /** Ends Patroni and PostgreSQL at once, as a failure of the machine would. */
  async kill(): Promise<void> {
    const patroni = this.#patroni
    if (patroni === undefined) return
    this.#patroni = undefined
    if (patroni.exitCode !== null || patroni.signalCode !== null) return // it could not start
    const exited = once(patroni, 'exit')
    this.#signal(patroni, 'SIGKILL')
    await exited
  }

  freeze(): void {
    if (this.#patroni !== undefined) this.#signal(this.#patroni, 'SIGSTOP')
  }

  thaw(): void {
    if (this.#patroni !== undefined) this.#signal(this.#patroni, 'SIGCONT')
  }

  #signal(patroni: ChildProcess, signal: NodeJS.Signals): void {
    patroni.kill(signal)
    const file = path.join(this.#data, 'postmaster.pid')
    if (existsSync(file)) signalServer(Number(readFileSync(file, 'utf8').split('\n')[0]), signal)
  }
}

/** Starts etcd and two nodes, and waits until one leads and the other streams from it. */
export async function startPatroni({ isSynchronous }: { isSynchronous: boolean }) {
  const user = serverUser()
  const folder = mkdtempSync(path.join(scratch(), 'commonhold-patroni-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const [client, peer] = [await freePort(), await freePort()]
  const urls = ['--listen-client-urls', '--advertise-client-urls'].flatMap((flag) => [
    flag,
    `http://127.0.0.1:${client}`,
  ])
  const peers = ['--listen-peer-urls', '--initial-advertise-peer-urls'].flatMap((flag) => [
    flag,
    `http://127.0.0.1:${peer}`,
  ])
  const initial = ['--initial-cluster', `default=http://127.0.0.1:${peer}`]
  const etcd = spawn(ETCD, ['--data-dir', path.join(folder, 'etcd'), ...urls, ...peers, ...initial], {
    ...user,
    stdio: 'ignore',
  })
  const nodes: PatroniNode[] = []
  for (const name of ['node0', 'node1']) {
    const [port, rest] = [await freePort(), await freePort()]
    const [file, data] = [path.join(folder, `${name}.json`), path.join(folder, name)]
    writeFileSync(file, JSON.stringify(configOf({ name, port, rest, etcd: client, folder, data, isSynchronous })))
    nodes.push(new PatroniNode(name, port, `http://127.0.0.1:${rest}`, file, data))
  }
  cleanUp(async () => {
    await Promise.all(nodes.map((node) => node.kill().catch(() => {})))
    etcd.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const membersBy = async (rest: string): Promise<Member[]> => {
    const answer = await fetch(`${rest}/cluster`, { signal: AbortSignal.timeout(patient(1_000)) })
    return ((await answer.json()) as { members: Member[] }).members
  }
  const members = (): Promise<Member[]> => Promise.any(nodes.map(({ rest }) => membersBy(rest))).catch(() => [])
  const nodeOf = (member: Member | undefined) => nodes.find(({ name }) => name === member?.name)
  const leader = () =>
    eventually('leader', async () =>
      nodeOf((await members()).find(({ role, state }) => role === 'leader' && state === 'running')),
    )
  /** Waits until the other node is a standby again that may be promoted. */
  const settle = async () => {
    const standby = isSynchronous ? 'sync_standby' : 'replica'
    await until('standby', async () =>
      (await members()).some(({ role, state }) => role === standby && state === 'streaming'),
    )
    const sync = `select from pg_stat_replication where sync_state = '${isSynchronous ? 'sync' : 'async'}'`
    const primary = await leader()
    await until('replication', async () => (await primary.query(sync)).length === 1)
  }
  /** Waits until a node other than `former` is the primary. */
  const promoted = (former: PatroniNode) =>
    eventually('promotion', async () => {
      const other = nodes.find((node) => node !== former)
      const [row] = (await other?.query('select pg_is_in_recovery() as "isStandby"').catch(() => [])) ?? []
      return row?.isStandby === false ? other : undefined
    })
  for (const node of nodes) node.start()
  await settle()
  return {
    nodes: nodes as readonly PatroniNode[],
    leader,
    settle,
    /** Stops etcd for longer than a leader may be silent. */
    async withoutEtcd(): Promise<void> {
      etcd.kill('SIGSTOP')
      await sleep(1_500 * TIMING.ttl)
      etcd.kill('SIGCONT')
    },
    promoted,
    /** Asks Patroni to make the other node the primary, and waits until it is. */
    async switchOver(): Promise<PatroniNode> {
      const former = await leader()
      const candidate = nodes.find((node) => node !== former)?.name
      const body = JSON.stringify({ leader: former.name, candidate })
      const asked = fetch(`${former.rest}/switchover`, { method: 'POST', body })
      const primary = await promoted(former)
      const answer = await asked
      if (!answer.ok) throw new Error(`Patroni refused to switch over: ${answer.status} ${await answer.text()}`)
      return primary
    },
  }
}

interface NodeSettings {
  name: string
  port: number
  rest: number
  etcd: number
  folder: string
  data: string
  isSynchronous: boolean
}

function configOf({ name, port, rest, etcd, folder, data, isSynchronous }: NodeSettings): object {
  const [here, restHere] = [`127.0.0.1:${port}`, `127.0.0.1:${rest}`]
  const parameters = { fsync: 'off', shared_buffers: '32MB', wal_keep_size: '512MB' }
  return {
    ...{ scope: 'commonhold', name },
    restapi: { listen: restHere, connect_address: restHere },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ...TIMING, synchronous_mode: isSynchronous, failsafe_mode: true },
        postgresql: { use_pg_rewind: true, parameters },
      },
      initdb: [{ encoding: 'UTF8' }, 'no-locale', { auth: 'trust' }],
    },
    postgresql: {
      ...{
        listen: here,
        connect_address: here,
        data_dir: data,
        bin_dir: BINARIES,
        pgpass: path.join(folder, `${name}.pass`),
      },
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      parameters: { unix_socket_directories: folder },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  }
}
