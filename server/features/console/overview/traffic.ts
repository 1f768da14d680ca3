/** Counts the responses of this process in the last hour, by API key and minute. For the console's chart, not for billing. */

const MINUTE_MS = 60_000
const MINUTES = 60
/** The maximum number of API keys; the least recently used ones are evicted. */
const KEYS_MAX = 1_000

export interface TrafficMinute {
  /** The start of the minute, in milliseconds. */
  at: number
  answered: number
  /** Responses with a 4xx status. */
  refused: number
  /** Responses with a 5xx status. */
  failed: number
}

export function createTraffic(now: () => number = Date.now) {
  const minutesOf = new Map<string, TrafficMinute[]>()

  return {
    count(apiKeyId: string, statusCode: number): void {
      const at = Math.floor(now() / MINUTE_MS) * MINUTE_MS
      const minutes = minutesOf.get(apiKeyId) ?? []
      let minute = minutes.at(-1)
      if (minute?.at !== at) {
        minute = { at, answered: 0, refused: 0, failed: 0 }
        minutes.push(minute)
        if (minutes.length > MINUTES) minutes.shift()
        minutesOf.delete(apiKeyId) // moves the key to the end: most recently used
        minutesOf.set(apiKeyId, minutes)
        const [oldest] = minutesOf.keys()
        if (minutesOf.size > KEYS_MAX && oldest !== undefined) minutesOf.delete(oldest)
      }
      minute[statusCode >= 500 ? 'failed' : statusCode >= 400 ? 'refused' : 'answered']++
    },

    /** Returns the minutes with at least one response. */
    lastHour(apiKeyId: string): TrafficMinute[] {
      const from = now() - MINUTES * MINUTE_MS
      return (minutesOf.get(apiKeyId) ?? []).filter(({ at }) => at > from)
    },
  }
}
