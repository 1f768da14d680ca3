/**
 * Reads the CPU time of processes from /proc (Linux). Unlike the duration of a test run, its CPU time hardly depends on
 * what else the machine does.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { scratch } from './scratch.ts'

/** Clock ticks of the kernel in a second; Linux has 100 on all its platforms. */
const TICKS = 100

interface Usage {
  /** The file of the program. */
  name: string
  parent: number
  /** CPU seconds of the process and of the processes that it has waited for. */
  seconds: number
}

/** Returns the usage of a process; undefined if it has ended, or on systems without /proc. */
function usageOf(pid: number | string): Usage | undefined {
  try {
    // The name of the program, in parentheses, can contain anything.
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ')
    const [parent = 0, ...ticks] = [fields[1], ...fields.slice(11, 15)].map(Number)
    return { name, parent, seconds: ticks.reduce((sum, each) => sum + each, 0) / TICKS }
  } catch {
    return undefined
  }
}

/**
 * Returns the CPU seconds of this process with all its descendants, including ended ones, and the part of the
 * PostgreSQL that it started; 0 on systems without /proc.
 */
export function treeSeconds(): { all: number; postgres: number } {
  const children = new Map<number, number[]>()
  const usages = new Map<number, Usage>()
  for (const pid of processes()) {
    const usage = usageOf(pid)
    if (usage === undefined) continue
    usages.set(pid, usage)
    children.set(usage.parent, [...(children.get(usage.parent) ?? []), pid])
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), usages.get(pid)?.seconds ?? 0)
  const own = (children.get(process.pid) ?? []).filter((pid) => usages.get(pid)?.name === 'postgres')
  return { all: sum(process.pid), postgres: own.reduce((total, pid) => total + sum(pid), 0) }
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

export interface FileUsage {
  file: string
  project: string
  seconds: number
}

const record = () => path.join(scratch(), 'cpu.jsonl')

/** Starts measuring what this worker uses. The returned function records it as the usage of a test file. */
export function measureFile(): (file: string, project: string) => void {
  const before = usageOf('self')?.seconds
  return (file, project) => {
    const after = usageOf('self')?.seconds
    if (process.env.TEST_SCRATCH === undefined || before === undefined || after === undefined) return
    const usage: FileUsage = { file, project, seconds: after - before }
    appendFileSync(record(), `${JSON.stringify(usage)}\n`)
  }
}

/** Returns the usage of the files of the run, without the work of PostgreSQL for them. */
export function fileUsages(): FileUsage[] {
  try {
    return readFileSync(record(), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
