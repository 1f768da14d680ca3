/** Writes logs as JSON lines. Bodies and headers are never logged: they hold secrets. */
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/** Returns a log that writes to standard output, or to `destination`. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      serializers: {
        req: ({ id, method, url, ip }) => ({ id, method, path: String(url).split('?', 1)[0], ip }),
        res: ({ statusCode }) => ({ statusCode }),
        err: ({ name, message, code, stack, cause }) => ({ name, message, code, stack, cause: cause?.message }),
      },
    },
    destination,
  )
