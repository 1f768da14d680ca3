/** What the server needs of whoever records traces. It is there only where an operator has asked for it: see `server/tracing.ts`. */
import type { IncomingHttpHeaders } from 'node:http'

export type Attributes = Record<string, string | number>

export interface Span {
  readonly traceId: string
  /** What `work` begins is part of this. */
  run<T>(work: () => T): T
  set(attributes: Attributes): void
  /** Headers for another server: what it does is part of this too. */
  headers(): Record<string, string>
  /** Why it failed, in a word. */
  fail(error: string): void
  end(): void
}

export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** What it is part of: what is under way here unless this says otherwise; `none` begins a trace. */
  parent?: Span | IncomingHttpHeaders | 'none'
  /** What it is done for, where that is more than one. */
  links?: readonly Span[]
}

export interface Tracing {
  /** What is under way here. */
  current(): Span | undefined
  begin(name: string, options?: SpanOptions): Span
  /** Something that is over; times by `performance.now()`. Only as a part of what is under way. */
  record(name: string, span: { began: number; ended: number; attributes: Attributes; error: string | undefined }): void
  /** Hands over what was recorded, for some seconds at most. */
  stop(): Promise<void>
}

/** Does `work` in a span of its own. */
export async function inSpan<T>(
  tracing: Tracing | undefined,
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (tracing === undefined) return work()
  const span = tracing.begin(name, options)
  try {
    return await span.run(() => work(span))
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'error')
    throw error
  } finally {
    span.end()
  }
}
