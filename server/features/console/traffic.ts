/** What this process has answered to whom in the last hour, by the minute: for the console's picture, not for accounts. */

const MINUTE_MS = 60_000
const MINUTES = 60
/** Of so many API keys; of more, those that called longest ago are forgotten. */
const KEYS_MAX = 1_000

export interface TrafficMinute {
  /** When it began, in milliseconds. */
  at: number
  answered: number
  /** Answered with a status of 4xx. */
  refused: number
  /** Answered with a status of 5xx. */
  failed: number
}

export function createTraffic(now: () => number = Date.now) {
  const minutesOf = new Map<string, TrafficMinute[]>()

  return {
    answered(apiKeyId: string, statusCode: number): void {
      const at = Math.floor(now() / MINUTE_MS) * MINUTE_MS
      const minutes = minutesOf.get(apiKeyId) ?? []
      let minute = minutes.at(-1)
      if (minute?.at !== at) {
        minute = { at, answered: 0, refused: 0, failed: 0 }
        minutes.push(minute)
        if (minutes.length > MINUTES) minutes.shift()
        minutesOf.delete(apiKeyId) // the last to call comes last
        minutesOf.set(apiKeyId, minutes)
        const [oldest] = minutesOf.keys()
        if (minutesOf.size > KEYS_MAX && oldest !== undefined) minutesOf.delete(oldest)
      }
      minute[statusCode >= 500 ? 'failed' : statusCode >= 400 ? 'refused' : 'answered']++
    },

    /** Minutes without a call are left out. */
    lastHour(apiKeyId: string): TrafficMinute[] {
      const from = now() - MINUTES * MINUTE_MS
      return (minutesOf.get(apiKeyId) ?? []).filter(({ at }) => at > from)
    },
  }
}
