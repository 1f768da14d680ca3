/** Counts by one or several names, such as those of a workspace and a host. What has no count is not remembered. */
export class Counts {
  readonly #counts = new Map<string, number>()

  get = (...names: string[]): number => this.#counts.get(names.join(' ')) ?? 0

  add(count: number, ...names: string[]): void {
    const sum = this.get(...names) + count
    if (sum > 0) this.#counts.set(names.join(' '), sum)
    else this.#counts.delete(names.join(' '))
  }
}
