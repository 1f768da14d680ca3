/** Reads the CPU time of processes, to distinguish those that share the cores of this machine. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** The unit of CPU time in /proc. */
const TICKS_PER_SECOND = 100

interface Times {
  parent: number
  own: number
  /** CPU time of children that have exited. */
  ended: number
}

function timesOf(pid: number): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (field: number) => fields[field - 3] ?? 0 // numbered as in proc(5)
    return {
      parent: at(4),
      own: (at(14) + at(15)) / TICKS_PER_SECOND,
      ended: (at(16) + at(17)) / TICKS_PER_SECOND,
    }
  } catch {
    return undefined // it has exited
  }
}

export const cpuSeconds = (pid: number): number => timesOf(pid)?.own ?? 0

/** Returns the CPU time of all processes of the PostgreSQL at `url`: backends, checkpointer, log writer, autovacuum. */
export async function postgresCpuSeconds(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = timesOf(rows[0]?.pid ?? 0)?.parent ?? 0
  await client.end()
  const { own = 0, ended = 0 } = timesOf(postmaster) ?? {}
  const children = readdirSync('/proc').flatMap((name) => {
    const times = /^\d+$/.test(name) ? timesOf(Number(name)) : undefined
    return times?.parent === postmaster ? [times.own] : []
  })
  return children.reduce((sum, seconds) => sum + seconds, own + ended)
}
