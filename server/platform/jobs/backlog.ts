/** Work that waits, as the metrics report it to the operators of an installation. */
export interface Backlog {
  labels: Record<string, string>
  count: number
  /** How long the first of these has waited. */
  oldestSeconds?: number
}
