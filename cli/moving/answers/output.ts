/** Collects the results of a file of answers: records for an import, and remarks about lines that cannot become one. */
import { checkRecord } from '#moving/files/check-record.ts'
import type { ExportRecord } from '#moving/files/records.ts'
import type { Remark, RemarkOutcome } from '#moving/files/remarks.ts'

/** The result of a portion of lines. */
export interface Converted {
  records: ExportRecord[]
  remarks: Remark[]
}

export class Output {
  #converted: Converted = { records: [], remarks: [] }
  readonly #once = new Set<string>()

  /** Adds a record if it can be imported; otherwise adds a remark with the reason. Returns whether it was added. */
  add(line: number, what: string, value: object): boolean {
    const checked = checkRecord(value)
    if ('fault' in checked) this.refuse(line, what, checked.fault.reason, checked.fault.message)
    else this.#converted.records.push(checked.record)
    return 'record' in checked
  }

  refuse(line: number, what: string, reason: string, message: string): void {
    this.#remark({ line, outcome: 'refused', reason, what, message })
  }

  change(line: number, what: string, reason: string, message: string): void {
    this.#remark({ line, outcome: 'changed', reason, what, message })
  }

  leaveOut(line: number, what: string, reason: string, message: string): void {
    this.#remark({ line, outcome: 'leftOut', reason, what, message })
  }

  /** Makes a remark that applies to many lines only at the first of them. */
  once(outcome: RemarkOutcome, line: number, what: string, reason: string, message: string): void {
    if (this.#once.has(reason)) return
    this.#once.add(reason)
    this.#remark({ line, outcome, reason, what, message })
  }

  /** Returns the results since the last call. */
  take(): Converted {
    const converted = this.#converted
    this.#converted = { records: [], remarks: [] }
    return converted
  }

  #remark(remark: Remark): void {
    this.#converted.remarks.push(remark)
  }
}

export type Item = Readonly<Record<string, unknown>>

/** Returns the item if it is an object; otherwise refuses its line. */
export function objectOf(item: unknown, line: number, path: string, output: Output): Item | undefined {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item as Item
  output.refuse(line, path, 'invalid_item', 'the item of this line must be an object, as the service returns it')
  return undefined
}

/** Returns the fields of these names that an item has. */
export const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.flatMap((name) => (given(item[name]) === undefined ? [] : [[name, item[name]]])))

/** Refuses an id that is a number: Commonhold compares ids as texts, and a program that sends 42 would not find "42". */
export function isNumberedId(value: unknown, field: string, line: number, what: string, output: Output): boolean {
  if (typeof value !== 'number') return false
  const message = `${field} is the number ${value}; ids are texts here, so give it the id "${value}", and let your programs send that`
  output.refuse(line, what, 'id_is_a_number', message)
  return true
}

/** Omits the values that a hosted service returns for "nothing": `null` and the empty text. */
export const given = (value: unknown): unknown => (value === null || value === '' ? undefined : value)
