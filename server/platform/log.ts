/** Writes logs as JSON lines, or as text on a terminal. Bodies and headers are never logged: they hold secrets. */
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/** Returns where the process writes its log: text for people if standard output is a terminal; anywhere else JSON lines, for programs. */
export async function standardDestination(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) return pino.destination(1)
  // Loaded only here: programs that read the log never need it.
  const { default: pretty } = await import('pino-pretty')
  return pretty({ singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore: 'reqId' })
}

/** Returns a log that writes to `destination`. */
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
