/** Prints the results of benchmarks, and writes them to `bench/results` with `--write`. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'

const lines: string[] = []

export function say(line: string): void {
  lines.push(line)
  process.stdout.write(`${line}\n`)
}

export const sayRow = (...cells: (string | number)[]): void => say(`| ${cells.join(' | ')} |`)

export function sayHead(...cells: string[]): void {
  say('')
  sayRow(...cells)
  sayRow(...cells.map(() => '---'))
}

export function writeReport(name: string): void {
  writeFileSync(path.join(import.meta.dirname, '../results', `${name}.md`), `${lines.join('\n')}\n`)
}

/** Returns the value below which a `share` of the `values` lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
