/** What the contract says of a type of event. */
export interface EventMeaning {
  /** What has happened, and to what. */
  summary: string
  /**
   * The same about one event, for webhooks; without it they send the summary. `{organization}`, `{resource}` (a folder
   * or document), `{user}`, `{email}` and `{role}` are replaced by names.
   */
  sentence?: string
  /** The fields of `before`; absent when the event has none. */
  before?: string
  /** The fields of `after`; absent when the event has none. */
  after?: string
}
