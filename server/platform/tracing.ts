/** The interface of a trace recorder. It is implemented by `server/tracing.ts`, and present only if an operator configures it. */
import type { IncomingHttpHeaders } from 'node:http'

type Attributes = Record<string, string | number>

export interface Span {
  readonly traceId: string
  /** Runs `work`. Spans that begin in it are children of this one. */
  run<T>(work: () => T): T
  set(attributes: Attributes): void
  /** Returns headers for a request to another server, whose spans become children of this one. */
  headers(): Record<string, string>
  /** Marks the span as failed, with the type of the error. */
  fail(error: string): void
  end(): void
}

export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** The parent; default: the current span. `none` begins a trace. */
  parent?: Span | IncomingHttpHeaders | 'none'
  /** The spans of the requests that it serves, if there are several. */
  links?: readonly Span[]
}

export interface Tracing {
  current(): Span | undefined
  begin(name: string, options?: SpanOptions): Span
  /** Records a span that has ended, with times of `performance.now()`, as a child of the current span. Does nothing without one. */
  record(name: string, span: { began: number; ended: number; attributes: Attributes; error: string | undefined }): void
  /** Exports the remaining spans, for a few seconds at most. */
  stop(): Promise<void>
}

/** Runs `work` in a span of its own. */
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
